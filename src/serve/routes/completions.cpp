// POST /v1/completions: OpenAI's text completions.
#include "serve/fields/infill.h"
#include "serve/fields/prediction.h"
#include "serve/fields/prompt.h"
#include "serve/route.h"
#include "serve/run/endpoint_requests.h"
#include "serve/run/generation.h"
#include "serve/service.h"
#include "serve/writers/completion_writer.h"
#include "text/tokenizer.h"

namespace skald::serve {
namespace {

void read_log_probs(const Fields& fields, GenerationRequest& out) {
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

void read_echo(const Fields& fields, ServedModel& model, GenerationRequest& out) {
  if (!fields.flag("echo").value_or(false)) return;
  out.request.prompt_log_probs = out.top_log_probs >= 0;
  if (out.stream && out.request.prompt_log_probs) refuse_field("stream", "false, where echo and logprobs are asked for");
  for (const auto& prompt : out.prompts) out.echoed.push_back(model.tokenizer().decode(prompt));
}

}  // namespace

GenerationRequest completion_of(const Fields& fields, ServedModel& model, RequestContext& context) {
  GenerationRequest out;
  read_generation(fields, model, kOpenAiTemperature, {context.owner}, out);
  out.request.prediction = read_prediction(fields, model);
  read_stream(fields, false, out);
  read_progress(fields, out);
  read_choices(fields, out);
  read_log_probs(fields, out);
  const auto suffix = fields.text("suffix");
  if (suffix && !suffix->empty()) {
    out.prompts = read_infills(fields, "prompt", model, kMostPrompts, context.service().options().suffix_first);
    if (fields.flag("echo").value_or(false)) refuse_field("echo", "no suffix with it");
  } else {
    out.prompts = read_prompts(fields, "prompt", model, kMostPrompts);
    read_echo(fields, model, out);
  }
  return out;
}

namespace {

void handle(const std::shared_ptr<RequestContext>& context) {
  with_model(context, [context](Lease model) {
    const Fields of(context->body());
    of.ignore({"model"});
    GenerationRequest what = completion_of(of, *model, *context);
    context->note_unread(of);
    answer(context, std::move(model), std::move(what), std::make_unique<CompletionWriter>());
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_completions;
const serve::Route route_completions{.method = "POST", .paths = {"/v1/completions"}, .handle = serve::handle};
}  // namespace skald
