// GET /metrics: Prometheus' text format.
#include "serve/route.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_metrics(const std::shared_ptr<RequestContext>& context) {
  Service& service = context->service();
  if (!service.options().metrics) throw ApiError(501, "metrics are off: the server was started without --metrics");
  context->send(HttpAnswer{200,
                           {{"content-type", "text/plain; version=0.0.4; charset=utf-8"}},
                           service.metrics().text(service.status(), service.disk(), service.connections())});
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_metrics;
const serve::Route route_metrics{
    .method = "GET", .paths = {"/metrics"}, .handle = serve::handle_metrics, .quick = true, .polled = true};
}  // namespace skald
