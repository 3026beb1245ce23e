// POST /detokenize: the text of tokens.
#include "serve/fields/prompt.h"
#include "serve/route.h"
#include "serve/run/generation.h"
#include "text/tokenizer.h"

namespace skald::serve {
namespace {

void handle_detokenize(const std::shared_ptr<RequestContext>& context) {
  with_model(context, [context](Lease model) {
    const Json* tokens = Fields(context->body()).find("tokens");
    const std::vector<TokenId> ids = read_ids(tokens ? *tokens : Json(), "tokens", model->tokenizer().vocab().size());
    context->send(Json{{"content", model->tokenizer().decode(ids, /*special=*/true)}});
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_detokenize;
const serve::Route route_detokenize{.method = "POST", .paths = {"/detokenize"}, .handle = serve::handle_detokenize};
}  // namespace skald
