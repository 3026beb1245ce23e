// POST /completion: llama-server's completions.
#include "serve/llama_fields.h"
#include "serve/prompt_fields.h"
#include "serve/route.h"
#include "serve/run.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

constexpr size_t kMostPrompts = 64;

void handle_completion(const std::shared_ptr<Call>& call) {
  with_model(call, [call](Lease model) {
    const Fields fields(call->body());
    fields.ignore({"model"});
    Generation what;
    const LlamaForm::Wants wants = read_llama(fields, *model, {call->owner}, what);
    what.prompts = read_prompts(fields, "prompt", *model, kMostPrompts);
    call->note_unread(fields);
    answer(call, std::move(model), std::move(what), std::make_unique<LlamaForm>(wants));
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_llama_completion;
const serve::Route route_llama_completion{
    .method = "POST", .paths = {"/completion", "/completions"}, .handle = serve::handle_completion};
}  // namespace skald
