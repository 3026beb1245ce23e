// GET /health: whether requests will be answered.
#include "serve/route.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_health(const std::shared_ptr<RequestContext>& context) {
  if (!context->service().models().is_ready()) throw ApiError(503, "Loading model");
  context->send(Json{{"status", "ok"}});
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_health;
const serve::Route route_health{.method = "GET",
                                .paths = {"/health", "/v1/health"},
                                .handle = serve::handle_health,
                                .open = true,
                                .quick = true,
                                .polled = true};
}  // namespace skald
