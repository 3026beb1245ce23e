// POST /infill: text between two others, which is not supported yet.
#include "serve/route.h"
#include "serve/run.h"

namespace skald::serve {
namespace {

void handle_infill(const std::shared_ptr<Call>& call) {
  with_model(call, [](const Lease& model) {
    throw ApiError(501, "infilling is not supported, by the model " + model->id() + " or any other");
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_infill;
const serve::Route route_infill{.method = "POST", .paths = {"/infill"}, .handle = serve::handle_infill};
}  // namespace skald
