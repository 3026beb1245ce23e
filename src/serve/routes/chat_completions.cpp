// POST /v1/chat/completions: OpenAI's chats.
#include "serve/chat/chat.h"
#include "serve/fields/prediction.h"
#include "serve/route.h"
#include "serve/run/endpoint_requests.h"
#include "serve/run/generation.h"
#include "serve/service.h"
#include "serve/writers/chat_writer.h"

namespace skald::serve {
namespace {

void read_chat_log_probs(const Fields& fields, GenerationRequest& out) {
  const bool wanted = fields.flag("logprobs").value_or(false);
  const int64_t top = fields.integer("top_logprobs", 0, kMostLogProbs).value_or(0);
  if (top > 0 && !wanted) refuse_field("top_logprobs", "logprobs: true with it");
  if (wanted) out.top_log_probs = static_cast<int>(top);
}

}  // namespace

GenerationRequest chat_completion_of(const Fields& fields, ServedModel& model, RequestContext& context) {
  GenerationRequest what;
  read_generation(fields, model, kOpenAiTemperature, {context.owner}, what);
  read_stream(fields, false, what);
  read_progress(fields, what);
  read_choices(fields, what);
  what.request.prediction = read_prediction(fields, model);
  read_chat_log_probs(fields, what);
  Chat chat = read_chat(fields, context.service().options());
  leave_out_volatile(chat, context);
  set_chat(std::move(chat), model, what);
  return what;
}

namespace {

void handle_chat(const std::shared_ptr<RequestContext>& context) {
  with_model(context, [context](Lease model) {
    const Fields fields(context->body());
    fields.ignore({"model"});
    GenerationRequest what = chat_completion_of(fields, *model, *context);
    context->note_unread(fields);
    answer(context, std::move(model), std::move(what), std::make_unique<ChatWriter>());
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_chat_completions;
const serve::Route route_chat_completions{
    .method = "POST", .paths = {"/v1/chat/completions", "/chat/completions"}, .handle = serve::handle_chat};
}  // namespace skald
