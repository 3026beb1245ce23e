// POST /v1/messages: Anthropic's messages.
#include "serve/answers/message_form.h"
#include "serve/message_fields.h"
#include "serve/route.h"
#include "serve/run.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_messages(const std::shared_ptr<Call>& call) {
  with_model(call, [call](Lease model) {
    const Fields fields(call->body());
    fields.ignore({"model"});
    if (!fields.integer("max_tokens", 1, std::numeric_limits<int32_t>::max()))
      refuse_field("max_tokens", "a whole number of at least 1");
    Generation what;
    read_generation(fields, *model, 1.0f, {call->owner}, what);
    if (const Json* stops = fields.list("stop_sequences"); stops && !stops->empty())
      what.request.stop = read_stop(fields, "stop_sequences");
    read_stream(fields, false, what);
    Chat chat = read_messages(fields, call->service().options(), what);
    leave_out_volatile(chat, *call);
    set_chat(std::move(chat), *model, what);
    call->note_unread(fields);
    answer(call, std::move(model), std::move(what), std::make_unique<MessageForm>());
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_messages;
const serve::Route route_messages{.method = "POST", .paths = {"/v1/messages"}, .handle = serve::handle_messages};
}  // namespace skald
