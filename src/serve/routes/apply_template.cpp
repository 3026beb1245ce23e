// POST /apply-template: the prompt that a chat becomes.
#include "serve/chat.h"
#include "serve/route.h"
#include "serve/run.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_template(const std::shared_ptr<Call>& call) {
  with_model(call, [call](const Lease& model) {
    const Fields fields(call->body());
    call->send(Json{{"prompt", render(read_chat(fields, call->service().options()), *model).text.bytes()}});
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_apply_template;
const serve::Route route_apply_template{.method = "POST", .paths = {"/apply-template"}, .handle = serve::handle_template};
}  // namespace skald
