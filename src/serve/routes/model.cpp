// GET /v1/models/{id}: one model.
#include "serve/models/model_json.h"
#include "serve/route.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_model(const std::shared_ptr<RequestContext>& context) {
  Service& service = context->service();
  if (!service.models().is_ready()) throw ApiError(503, "Loading model");
  const std::vector<ModelPool::Entry> found = service.models().list(context->part);
  if (found.empty()) throw ApiError(404, "there is no model of the name " + context->part, "model", "model_not_found");
  context->send(model_json(found.front()));
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_model;
const serve::Route route_model{.method = "GET", .paths = {"/v1/models/{}", "/models/{}"}, .handle = serve::handle_model};
}  // namespace skald
