// POST /v1/load_lora_adapter: loads an adapter while the server runs, as vLLM has it.
#include "serve/route.h"
#include "serve/run/generation.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_load_lora(const std::shared_ptr<RequestContext>& context) {
  const Fields fields(context->body());
  const std::string name = fields.text("lora_name").value_or(""), path = fields.text("lora_path").value_or("");
  if (name.empty()) refuse_field("lora_name", "a name, which requests give as their model");
  if (path.empty()) refuse_field("lora_path", "a file or folder in the folder of --lora-dir");
  with_model(context, "", [context, name, path](const Lease& lease) {
    context->service().post_file_work(context, [context, name, path, lease] {
      lease->loras().load(name, path);
      context->send(Json{{"success", true}, {"lora_name", name}});
    });
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_load_lora_adapter;
const serve::Route route_load_lora_adapter{
    .method = "POST", .paths = {"/v1/load_lora_adapter"}, .handle = serve::handle_load_lora};
}  // namespace skald
