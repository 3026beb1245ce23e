// POST /detokenize: the text of tokens.
#include "serve/prompt_fields.h"
#include "serve/route.h"
#include "serve/run.h"
#include "text/tokenizer.h"

namespace skald::serve {
namespace {

void handle_detokenize(const std::shared_ptr<Call>& call) {
  with_model(call, [call](Lease model) {
    const Json* tokens = Fields(call->body()).find("tokens");
    const std::vector<TokenId> ids = read_ids(tokens ? *tokens : Json(), "tokens", model->tokenizer().vocab().size());
    call->send(Json{{"content", model->tokenizer().decode(ids, /*special=*/true)}});
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_detokenize;
const serve::Route route_detokenize{.method = "POST", .paths = {"/detokenize"}, .handle = serve::handle_detokenize};
}  // namespace skald
