// POST /route: which server should get a prompt. The body is that of the endpoint, which the path or `endpoint` names.
#include <algorithm>
#include <array>

#include "serve/fleet/route_answer.h"
#include "serve/route.h"
#include "serve/run/endpoint_requests.h"
#include "serve/run/generation.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

struct Endpoint {
  std::string_view path, sign;  // a field that the others have not
  GenerationRequest (*read)(const Fields& fields, ServedModel& model, RequestContext& context);
};
constexpr std::array<Endpoint, 4> kEndpoints = {{{"/v1/completions", "prompt", completion_of},
                                                 {"/v1/responses", "input", response_of},
                                                 {"/v1/messages", "", message_of},
                                                 {"/v1/chat/completions", "messages", chat_completion_of}}};

const Endpoint& endpoint_of(const RequestContext& context, const Fields& fields) {
  constexpr std::string_view kRoute = "/route";
  std::string path = context.request().path.substr(kRoute.size());
  const bool named = !path.empty();
  if (const std::optional<std::string> field = fields.text("endpoint"); field && !named) path = *field;
  const auto found = path.empty() ? std::ranges::find_if(kEndpoints, [&](const Endpoint& e) { return fields.find(e.sign); })
                                  : std::ranges::find(kEndpoints, path, &Endpoint::path);
  if (found == kEndpoints.end())
    refuse_field("endpoint", "/v1/completions, /v1/chat/completions, /v1/responses or /v1/messages");
  return *found;
}

void handle_route(const std::shared_ptr<RequestContext>& context) {
  with_model(context, [context](const Lease& model) {
    const Fields fields(context->body());
    fields.ignore({"model", "endpoint"});
    const GenerationRequest what = endpoint_of(*context, fields).read(fields, *model, *context);
    const PromptName name = name_prompt(what, *model, context->service().options());
    context->note_unread(fields);
    context->send(route_answer(servers_for(*context, name.space, name.hashes), name));
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_route_prompt;
const serve::Route route_route_prompt{
    .method = "POST",
    .paths = {"/route", "/route/v1/completions", "/route/v1/chat/completions", "/route/v1/responses", "/route/v1/messages"},
    .handle = serve::handle_route};
}  // namespace skald
