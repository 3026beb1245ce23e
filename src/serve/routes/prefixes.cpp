// GET /prefixes: the beginnings of the client's prompts that are in memory, for the other servers of a fleet.
#include "serve/fields/generation_request.h"
#include "serve/fleet/peer_news.h"
#include "serve/fleet/route_answer.h"
#include "serve/route.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

// A server that cannot answer yet is none to be chosen.
void handle_prefixes(const std::shared_ptr<RequestContext>& context) {
  Service& service = context->service();
  if (!service.peers()) throw ApiError(501, "prefixes are told to peers: the server was started without --peers");
  if (service.models().single() && !service.models().is_ready()) throw ApiError(503, "Loading model");
  std::vector<PrefixHash> pages = service.prefixes().list(cache_owner(context->owner), PeerNews::kMostPages);
  PeerNews news{.server = service.word(), .version = version_of(service.word(), pages), .load = load_of(service)};
  const std::string* since = context->request().parameter("since");
  if (!since || *since != news.version) news.pages = std::move(pages);
  context->send(news_json(news));
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_prefixes;
const serve::Route route_prefixes{.method = "GET", .paths = {"/prefixes"}, .handle = serve::handle_prefixes, .polled = true};
}  // namespace skald
