// POST /lora-adapters: sets the scales of adapters for requests that name none.
#include "serve/fields/lora.h"
#include "serve/route.h"
#include "serve/run/generation.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_set_lora_adapters(const std::shared_ptr<RequestContext>& context) {
  const auto scales = read_scales(context->list(), "the body");
  const std::string* const name = context->request().parameter("model");
  with_model(context, name ? *name : "", [context, scales](const Lease& model) {
    model->loras().set_scales(scales);
    context->send(Json{{"success", true}});
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_set_lora_adapters;
const serve::Route route_set_lora_adapters{
    .method = "POST", .paths = {"/lora-adapters"}, .handle = serve::handle_set_lora_adapters};
}  // namespace skald
