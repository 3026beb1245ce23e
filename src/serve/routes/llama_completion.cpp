// POST /completion: llama-server's completions.
#include "serve/answers/llama_form.h"
#include "serve/prompt_fields.h"
#include "serve/route.h"
#include "serve/run.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

constexpr size_t kMostPrompts = 64;
constexpr int64_t kMostProbs = 20;

void handle_completion(const std::shared_ptr<Call>& call) {
  with_model(call, [call](Lease model) {
    const Fields fields(call->body());
    fields.ignore({"model"});
    Generation what;
    read_generation(fields, *model, 0.8f, {call->owner}, what);
    read_stream(fields, false, what);
    if (const auto probs = fields.integer("n_probs", 0, kMostProbs); probs && *probs > 0)
      what.top_log_probs = static_cast<int>(*probs);
    what.return_tokens = fields.flag("return_tokens").value_or(false);
    const LlamaForm::Wants wants{.timings_per_token = fields.flag("timings_per_token").value_or(false)};
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
