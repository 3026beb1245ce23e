// POST /models/load: loads a model.
#include "serve/route.h"
#include "serve/run/generation.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_load(const std::shared_ptr<RequestContext>& context) {
  const std::string name = Fields(context->body()).text("model").value_or("");
  if (name.empty()) refuse_field("model", "the name of a model");
  if (context->service().models().single()) throw ApiError(400, "model: the server has this one alone", "model");
  with_model(context, name, [context](const Lease&) { context->send(Json{{"success", true}}); });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_load_model;
const serve::Route route_load_model{.method = "POST", .paths = {"/models/load"}, .handle = serve::handle_load};
}  // namespace skald
