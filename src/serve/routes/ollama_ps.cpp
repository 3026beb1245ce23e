// GET /api/ps: the models that are loaded.
#include "serve/models/ollama_json.h"
#include "serve/route.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

// Nothing is unloaded by a clock.
constexpr std::string_view kNever = "9999-12-31T23:59:59Z";

void handle_ps(const std::shared_ptr<RequestContext>& context) {
  Json models = Json::array();
  for (const ModelPool::Entry& entry : context->service().models().list()) {
    if (!entry.model) continue;
    Json model = ollama_model_json(entry);
    model["expires_at"] = kNever;
    model["size_vram"] = 0;
    models.push_back(std::move(model));
  }
  context->send(Json{{"models", std::move(models)}});
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_ollama_ps;
const serve::Route route_ollama_ps{.method = "GET", .paths = {"/api/ps"}, .handle = serve::handle_ps, .polled = true};
}  // namespace skald
