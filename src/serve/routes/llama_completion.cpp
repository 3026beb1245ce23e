// POST /completion: llama-server's completions.
#include "serve/fields/llama.h"
#include "serve/fields/prompt.h"
#include "serve/route.h"
#include "serve/run/generation.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_completion(const std::shared_ptr<RequestContext>& context) {
  with_model(context, [context](Lease model) {
    const Fields fields(context->body());
    fields.ignore({"model"});
    GenerationRequest what;
    const LlamaWriter::Wants wants = read_llama(fields, *model, {context->owner}, what);
    what.prompts = read_prompts(fields, "prompt", *model, kMostPrompts);
    context->note_unread(fields);
    answer(context, std::move(model), std::move(what), std::make_unique<LlamaWriter>(wants));
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_llama_completion;
const serve::Route route_llama_completion{
    .method = "POST", .paths = {"/completion", "/completions"}, .handle = serve::handle_completion};
}  // namespace skald
