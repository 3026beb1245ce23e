// GET /route: which server should get a prompt whose prefix stands in the header, as proxies ask that send no body.
#include "serve/fields/generation_request.h"
#include "serve/fleet/route_answer.h"
#include "serve/route.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

PrefixHash drawn(const std::string& id) { return prefix_hash(sha256({std::as_bytes(std::span(id))})); }

void handle_prefix(const std::shared_ptr<RequestContext>& context) {
  const std::string_view text = context->request().header(kPrefixField);
  if (text.empty()) return context->send(route_answer_by_load(servers_for(*context, {}, {}), drawn(context->request().id)));
  const std::optional<PrefixHash> prefix = prefix_of(text);
  if (!prefix) throw ApiError(400, std::string(kPrefixHeader) + ": want the prefix of an answer of POST /route");
  context->send(route_answer(servers_for(*context, *prefix), *prefix));
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_route_prefix;
const serve::Route route_route_prefix{
    .method = "GET", .paths = {"/route"}, .handle = serve::handle_prefix, .quick = true, .polled = true};
}  // namespace skald
