// POST /infill: the text between two others, as llama-server has it.
#include "serve/fields/infill.h"

#include "serve/fields/llama.h"
#include "serve/route.h"
#include "serve/run/generation.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_infill(const std::shared_ptr<RequestContext>& context) {
  with_model(context, [context](Lease model) {
    if (const std::string lacks = model->writes() ? lacks_for_infill(*model) : ""; !lacks.empty())
      throw ApiError(501, "the model " + model->id() + " has no tokens for infilling: it lacks " + lacks);
    constexpr int64_t kMarks = 4;  // BOS and the tokens for the parts
    const int64_t n_ctx = model->engine().n_ctx();
    const Fields fields(context->body());
    fields.ignore({"model"});
    GenerationRequest what;
    LlamaWriter::Wants wants = read_llama(fields, *model, {context->owner}, what);
    Surroundings around = read_surroundings(fields, *model);
    wants.truncated = cut_to(around, n_ctx - 1 - kMarks - answer_room(what.request, n_ctx));
    what.prompts = {infill_prompt(around, *model, context->service().options().suffix_first)};
    check_length(std::ssize(what.prompts.front()), *model, "prompt");
    context->note_unread(fields);
    answer(context, std::move(model), std::move(what), std::make_unique<LlamaWriter>(wants));
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_infill;
const serve::Route route_infill{.method = "POST", .paths = {"/infill"}, .handle = serve::handle_infill};
}  // namespace skald
