// POST /embedding: llama-server's embeddings.
#include "serve/fields/embed.h"
#include "serve/route.h"
#include "serve/run/generation.h"

namespace skald::serve {
namespace {

void handle_embedding(const std::shared_ptr<RequestContext>& context) {
  with_model(context, [context](const Lease& model) {
    const Fields fields(context->body());
    answer_embeddings(context, model, read_inputs(fields, "content", *model), 0, [](const Embeddings& made) {
      Json out = Json::array();
      for (const std::vector<float>& v : made.vectors)
        out.push_back({{"index", out.size()}, {"embedding", Json::array({v})}});
      return out;
    });
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_llama_embedding;
const serve::Route route_llama_embedding{.method = "POST", .paths = {"/embedding"}, .handle = serve::handle_embedding};
}  // namespace skald
