// POST /v1/chat/completions: OpenAI's chats.
#include "serve/answers/chat_form.h"
#include "serve/chat.h"
#include "serve/route.h"
#include "serve/run.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

constexpr int64_t kMostLogProbs = 20;

void read_log_probs(const Fields& fields, Generation& out) {
  const bool wanted = fields.flag("logprobs").value_or(false);
  const int64_t top = fields.integer("top_logprobs", 0, kMostLogProbs).value_or(0);
  if (top > 0 && !wanted) refuse_field("top_logprobs", "logprobs: true with it");
  if (wanted) out.top_log_probs = static_cast<int>(top);
}

void handle_chat(const std::shared_ptr<Call>& call) {
  with_model(call, [call](Lease model) {
    const Fields fields(call->body());
    fields.ignore({"model"});
    Generation what;
    read_generation(fields, *model, 1.0f, {call->owner}, what);
    read_stream(fields, false, what);
    read_progress(fields, what);
    read_choices(fields, what);
    read_log_probs(fields, what);
    Chat chat = read_chat(fields, call->service().options());
    leave_out_volatile(chat, *call);
    set_chat(std::move(chat), *model, what);
    call->note_unread(fields);
    answer(call, std::move(model), std::move(what), std::make_unique<ChatForm>());
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_chat_completions;
const serve::Route route_chat_completions{
    .method = "POST", .paths = {"/v1/chat/completions", "/chat/completions"}, .handle = serve::handle_chat};
}  // namespace skald
