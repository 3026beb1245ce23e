// POST /infill: text between two others, for models with tokens for it.
#include "serve/route.h"
#include "serve/run.h"

namespace skald::serve {
namespace {

void handle_infill(const std::shared_ptr<Call>& call) {
  with_model(call, Fields(call->body()).text("model").value_or(""),
             [](const Lease& model) { throw ApiError(501, "the model " + model->id() + " has no tokens for infilling"); });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_infill;
const serve::Route route_infill{.method = "POST", .paths = {"/infill"}, .handle = serve::handle_infill};
}  // namespace skald
