// POST /v1/completions: OpenAI's text completions.
#include "serve/answers/completion_form.h"
#include "serve/infill.h"
#include "serve/prompt_fields.h"
#include "serve/route.h"
#include "serve/run.h"
#include "serve/service.h"
#include "text/tokenizer.h"

namespace skald::serve {
namespace {

constexpr size_t kMostPrompts = 64;
constexpr int64_t kMostLogProbs = 20;

void read_log_probs(const Fields& fields, Generation& out) {
  const Json* value = fields.find("logprobs");
  if (!value) return;
  // The chat API's form is taken too.
  if (value->is_boolean()) {
    if (value->get<bool>())
      out.top_log_probs = static_cast<int>(fields.integer("top_logprobs", 0, kMostLogProbs).value_or(0));
    return;
  }
  out.top_log_probs = static_cast<int>(fields.integer("logprobs", 0, kMostLogProbs).value_or(0));
}

void read_echo(const Fields& fields, ServedModel& model, Generation& out) {
  if (!fields.flag("echo").value_or(false)) return;
  out.request.prompt_log_probs = out.top_log_probs >= 0;
  if (out.stream && out.request.prompt_log_probs) refuse_field("stream", "false, where echo and logprobs are asked for");
  for (const auto& prompt : out.prompts) out.echoed.push_back(model.tokenizer().decode(prompt));
}

Generation read(const Fields& fields, ServedModel& model, const Call& call) {
  Generation out;
  read_generation(fields, model, 1.0f, {call.owner}, out);
  read_stream(fields, false, out);
  read_progress(fields, out);
  read_choices(fields, out);
  read_log_probs(fields, out);
  const auto suffix = fields.text("suffix");
  if (suffix && !suffix->empty()) {
    out.prompts = read_infills(fields, "prompt", model, kMostPrompts, call.service().options().suffix_first);
    if (fields.flag("echo").value_or(false)) refuse_field("echo", "no suffix with it");
  } else {
    out.prompts = read_prompts(fields, "prompt", model, kMostPrompts);
    read_echo(fields, model, out);
  }
  return out;
}

void handle(const std::shared_ptr<Call>& call) {
  with_model(call, [call](Lease model) {
    const Fields of(call->body());
    of.ignore({"model"});
    Generation what = read(of, *model, *call);
    call->note_unread(of);
    answer(call, std::move(model), std::move(what), std::make_unique<CompletionForm>());
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_completions;
const serve::Route route_completions{.method = "POST", .paths = {"/v1/completions"}, .handle = serve::handle};
}  // namespace skald
