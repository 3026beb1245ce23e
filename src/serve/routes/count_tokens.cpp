// POST /v1/messages/count_tokens: the tokens that a chat would have as a prompt.
#include "serve/message_fields.h"
#include "serve/route.h"
#include "serve/run.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_count(const std::shared_ptr<Call>& call) {
  with_model(call, [call](const Lease& model) {
    Generation unused;
    Chat chat = read_messages(Fields(call->body()), call->service().options(), unused);
    leave_out_volatile(chat, *call);
    const RenderedChat rendered = render(std::move(chat), *model);
    call->send(Json{{"input_tokens", prompt_tokens(model->tokenizer(), rendered.text).size()}});
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_count_tokens;
const serve::Route route_count_tokens{
    .method = "POST", .paths = {"/v1/messages/count_tokens"}, .handle = serve::handle_count};
}  // namespace skald
