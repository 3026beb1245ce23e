// POST /v1/unload_lora_adapter: takes an adapter out that requests name as their model, as vLLM has it.
#include "serve/route.h"
#include "serve/run/generation.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_unload_lora(const std::shared_ptr<RequestContext>& context) {
  const std::string name = Fields(context->body()).text("lora_name").value_or("");
  if (name.empty()) refuse_field("lora_name", "the name of an adapter");
  if (context->service().options().loras.dir.empty())
    throw ApiError(403, "adapters are not unloaded while serving: the server was started without --lora-dir");
  with_model(context, "", [context, name](const Lease& model) {
    model->loras().unload(name);
    context->send(Json{{"success", true}, {"lora_name", name}});
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_unload_lora_adapter;
const serve::Route route_unload_lora_adapter{
    .method = "POST", .paths = {"/v1/unload_lora_adapter"}, .handle = serve::handle_unload_lora};
}  // namespace skald
