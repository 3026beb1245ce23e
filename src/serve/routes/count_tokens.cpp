// POST /v1/messages/count_tokens: the tokens that a chat would have as a prompt.
#include "serve/fields/message.h"
#include "serve/route.h"
#include "serve/run/generation.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_count(const std::shared_ptr<RequestContext>& context) {
  with_model(context, [context](const Lease& model) {
    GenerationRequest unused;
    Chat chat = read_messages(Fields(context->body()), context->service().options(), unused);
    leave_out_volatile(chat, *context);
    const RenderedChat rendered = render(std::move(chat), *model);
    context->send(Json{{"input_tokens", prompt_tokens(model->tokenizer(), rendered.text).size()}});
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_count_tokens;
const serve::Route route_count_tokens{
    .method = "POST", .paths = {"/v1/messages/count_tokens"}, .handle = serve::handle_count};
}  // namespace skald
