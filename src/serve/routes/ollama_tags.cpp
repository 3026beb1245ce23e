// GET /api/tags: the models that ollama's clients may use.
#include "serve/models/ollama_json.h"
#include "serve/route.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_tags(const std::shared_ptr<RequestContext>& context) {
  if (!context->service().models().is_ready()) throw ApiError(503, "Loading model");
  Json models = Json::array();
  for (const ModelPool::Entry& entry : context->service().models().list()) models.push_back(ollama_model_json(entry));
  context->send(Json{{"models", std::move(models)}});
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_ollama_tags;
const serve::Route route_ollama_tags{.method = "GET", .paths = {"/api/tags"}, .handle = serve::handle_tags, .polled = true};
}  // namespace skald
