// POST /v1/responses: OpenAI's responses, of which none is stored.
#include <algorithm>

#include "serve/fields/response.h"
#include "serve/route.h"
#include "serve/run/endpoint_requests.h"
#include "serve/run/generation.h"
#include "serve/service.h"
#include "serve/writers/response_echo.h"
#include "serve/writers/responses_writer.h"

namespace skald::serve {
namespace {

// All else in `include` is about stores and searches of other servers.
void read_included_log_probs(const Fields& fields, GenerationRequest& out) {
  const std::optional<int64_t> top = fields.integer("top_logprobs", 0, kMostLogProbs);
  const Json* include = fields.list("include");
  const bool included =
      include && std::ranges::any_of(*include, [](const Json& one) { return is_text(one, "message.output_text.logprobs"); });
  if (included || top.value_or(0) > 0) out.top_log_probs = static_cast<int>(top.value_or(0));
}

}  // namespace

GenerationRequest response_of(const Fields& fields, ServedModel& model, RequestContext& context) {
  GenerationRequest what;
  read_generation(fields, model, kOpenAiTemperature, {context.owner}, what);
  read_stream(fields, false, what);
  read_progress(fields, what);
  read_included_log_probs(fields, what);
  Chat chat = read_response_request(fields, context.service().options(), what);
  leave_out_volatile(chat, context);
  set_chat(std::move(chat), model, what);
  return what;
}

namespace {

void handle_responses(const std::shared_ptr<RequestContext>& context) {
  with_model(context, [context](Lease model) {
    const Fields fields(context->body());
    fields.ignore({"model"});
    GenerationRequest what = response_of(fields, *model, *context);
    context->note_unread(fields);
    auto form = std::make_unique<ResponsesWriter>(response_echo(context->body(), what));
    answer(context, std::move(model), std::move(what), std::move(form));
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_responses;
const serve::Route route_responses{
    .method = "POST", .paths = {"/v1/responses", "/responses"}, .handle = serve::handle_responses};
}  // namespace skald
