// GET /lora-adapters: the adapters of the model, with the scales of requests that name none.
#include "serve/route.h"
#include "serve/run/generation.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

Json adapter_json(const LoraList::Entry& e, const Model& model) {
  Json out = {{"id", e.id},
              {"name", e.name},
              {"path", e.lora.path()},
              {"task_name", e.lora.task()},
              {"prompt_prefix", e.lora.prompt_prefix()},
              {"scale", e.scale},
              {"rank", e.lora.rank()},
              {"bytes", e.lora.bytes()}};
  if (const std::vector<TokenId>& tokens = e.lora.invocation(); !tokens.empty()) {
    out["alora_invocation_string"] = model.detokenize(tokens, /*special=*/true);
    out["alora_invocation_tokens"] = tokens;
  }
  return out;
}

void handle_lora_adapters(const std::shared_ptr<RequestContext>& context) {
  const std::string* const name = context->request().parameter("model");
  with_model(context, name ? *name : "", [context](const Lease& model) {
    Json out = Json::array();
    for (const LoraList::Entry& e : model->loras().all()) out.push_back(adapter_json(e, model->model()));
    context->send(out);
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_lora_adapters;
const serve::Route route_lora_adapters{
    .method = "GET", .paths = {"/lora-adapters"}, .handle = serve::handle_lora_adapters, .polled = true};
}  // namespace skald
