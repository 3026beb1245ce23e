// GET /v1/models/{id}: one model.
#include "serve/model_json.h"
#include "serve/route.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_model(const std::shared_ptr<Call>& call) {
  Service& service = call->service();
  if (!service.models().is_ready()) throw ApiError(503, "Loading model");
  const std::vector<ModelShelf::Entry> found = service.models().list(call->part);
  if (found.empty()) throw ApiError(404, "there is no model of the name " + call->part, "model", "model_not_found");
  call->send(model_json(found.front()));
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_model;
const serve::Route route_model{.method = "GET", .paths = {"/v1/models/{}", "/models/{}"}, .handle = serve::handle_model};
}  // namespace skald
