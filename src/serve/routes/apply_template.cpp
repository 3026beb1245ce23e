// POST /apply-template: the prompt that a chat becomes.
#include "serve/chat/chat.h"
#include "serve/route.h"
#include "serve/run/generation.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_template(const std::shared_ptr<RequestContext>& context) {
  with_model(context, [context](const Lease& model) {
    const Fields fields(context->body());
    context->send(Json{{"prompt", render(read_chat(fields, context->service().options()), *model).text.bytes()}});
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_apply_template;
const serve::Route route_apply_template{.method = "POST", .paths = {"/apply-template"}, .handle = serve::handle_template};
}  // namespace skald
