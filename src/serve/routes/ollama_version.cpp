// GET /api/version.
#include "serve/route.h"
#include "skald/version.h"

namespace skald::serve {
namespace {

void handle_version(const std::shared_ptr<RequestContext>& context) {
  context->send(Json{{"version", build_info().version}});
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_ollama_version;
const serve::Route route_ollama_version{
    .method = "GET", .paths = {"/api/version"}, .handle = serve::handle_version, .polled = true};
}  // namespace skald
