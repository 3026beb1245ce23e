// POST /v1/responses: OpenAI's responses, of which none is stored.
#include <algorithm>

#include "serve/answers/response_form.h"
#include "serve/response_fields.h"
#include "serve/route.h"
#include "serve/run.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

// Fields that a response repeats.
Json echoed(const Json& body) {
  Json out = Json::object();
  out["instructions"] = body.value("instructions", Json());
  out["max_output_tokens"] = body.value("max_output_tokens", Json());
  out["metadata"] = body.value("metadata", Json::object());
  out["parallel_tool_calls"] = body.value("parallel_tool_calls", Json(true));
  out["temperature"] = body.value("temperature", Json());
  out["top_p"] = body.value("top_p", Json());
  out["text"] = body.value("text", Json{{"format", {{"type", "text"}}}});
  out["tool_choice"] = body.value("tool_choice", Json("auto"));
  out["tools"] = body.value("tools", Json::array());
  out["truncation"] = "disabled";
  return out;
}

// Of `include` all else is about what others store or search.
void read_log_probs(const Fields& fields, Generation& out) {
  constexpr int64_t kMost = 20;
  const std::optional<int64_t> top = fields.integer("top_logprobs", 0, kMost);
  const Json* include = fields.list("include");
  const bool included = include && std::ranges::find(*include, "message.output_text.logprobs") != include->end();
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
    answer(call, std::move(model), std::move(what), std::make_unique<ResponseForm>(echoed(call->body())));
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_responses;
const serve::Route route_responses{
    .method = "POST", .paths = {"/v1/responses", "/responses"}, .handle = serve::handle_responses};
}  // namespace skald
