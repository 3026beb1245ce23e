// POST /v1/messages: Anthropic's messages.
#include "serve/fields/message.h"
#include "serve/route.h"
#include "serve/run/endpoint_requests.h"
#include "serve/run/generation.h"
#include "serve/service.h"
#include "serve/writers/message_writer.h"

namespace skald::serve {

GenerationRequest message_of(const Fields& fields, ServedModel& model, RequestContext& context) {
  if (!fields.integer("max_tokens", 1, std::numeric_limits<int32_t>::max()))
    refuse_field("max_tokens", "a whole number of at least 1");
  GenerationRequest what;
  read_generation(fields, model, kOpenAiTemperature, {context.owner}, what);
  if (const Json* stops = fields.list("stop_sequences"); stops && !stops->empty())
    what.request.stop = read_stop(fields, "stop_sequences");
  read_stream(fields, false, what);
  Chat chat = read_messages(fields, context.service().options(), what);
  leave_out_volatile(chat, context);
  set_chat(std::move(chat), model, what);
  return what;
}

namespace {

void handle_messages(const std::shared_ptr<RequestContext>& context) {
  with_model(context, [context](Lease model) {
    const Fields fields(context->body());
    fields.ignore({"model"});
    GenerationRequest what = message_of(fields, *model, *context);
    context->note_unread(fields);
    answer(context, std::move(model), std::move(what), std::make_unique<MessageWriter>());
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_messages;
const serve::Route route_messages{.method = "POST", .paths = {"/v1/messages"}, .handle = serve::handle_messages};
}  // namespace skald
