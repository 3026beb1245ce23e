// GET /v1/models: the models that are served, in a form for the clients of OpenAI and Anthropic.
#include "serve/models/model_json.h"
#include "serve/route.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_models(const std::shared_ptr<RequestContext>& context) {
  Service& service = context->service();
  if (!service.models().is_ready()) throw ApiError(503, "Loading model");
  Json data = Json::array();
  for (const ModelPool::Entry& entry : service.models().list()) {
    data.push_back(model_json(entry));
    for (Json& adapter : adapters_json(entry)) data.push_back(std::move(adapter));
  }
  Json out = {{"object", "list"}, {"data", data}, {"has_more", false}, {"first_id", nullptr}, {"last_id", nullptr}};
  if (!data.empty()) {
    out["first_id"] = data.front()["id"];
    out["last_id"] = data.back()["id"];
  }
  context->send(out);
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_models;
const serve::Route route_models{
    .method = "GET", .paths = {"/v1/models", "/models"}, .handle = serve::handle_models, .polled = true};
}  // namespace skald
