// POST /v1/responses: OpenAI's responses, of which none is stored.
#include <algorithm>

#include "serve/answers/response_echo.h"
#include "serve/answers/response_form.h"
#include "serve/response_fields.h"
#include "serve/route.h"
#include "serve/run.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

// Of `include` all else is about what others store or search.
void read_log_probs(const Fields& fields, Generation& out) {
  constexpr int64_t kMost = 20;
  const std::optional<int64_t> top = fields.integer("top_logprobs", 0, kMost);
  const Json* include = fields.list("include");
  const bool included =
      include && std::ranges::any_of(*include, [](const Json& one) { return is_text(one, "message.output_text.logprobs"); });
  if (included || top.value_or(0) > 0) out.top_log_probs = static_cast<int>(top.value_or(0));
}

void handle_responses(const std::shared_ptr<Call>& call) {
  with_model(call, [call](Lease model) {
    const Fields fields(call->body());
    fields.ignore({"model"});
    Generation what;
    read_generation(fields, *model, 1.0f, {call->owner}, what);
    read_stream(fields, false, what);
    read_progress(fields, what);
    read_log_probs(fields, what);
    Chat chat = read_response_request(fields, call->service().options(), what);
    leave_out_volatile(chat, *call);
    set_chat(std::move(chat), *model, what);
    call->note_unread(fields);
    auto form = std::make_unique<ResponseForm>(response_echo(call->body(), what));
    answer(call, std::move(model), std::move(what), std::move(form));
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_responses;
const serve::Route route_responses{
    .method = "POST", .paths = {"/v1/responses", "/responses"}, .handle = serve::handle_responses};
}  // namespace skald
