// POST /models/unload: unloads a model.
#include "serve/route.h"
#include "serve/run/generation.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_unload(const std::shared_ptr<RequestContext>& context) {
  const std::string name = Fields(context->body()).text("model").value_or("");
  if (name.empty()) refuse_field("model", "the name of a model");
  if (context->service().models().single()) throw ApiError(400, "model: the server has this one alone", "model");
  context->service().models().unload(name);
  context->send(Json{{"success", true}});
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_unload_model;
const serve::Route route_unload_model{.method = "POST", .paths = {"/models/unload"}, .handle = serve::handle_unload};
}  // namespace skald
