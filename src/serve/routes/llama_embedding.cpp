// POST /embedding: llama-server's embeddings.
#include "serve/embed_fields.h"
#include "serve/route.h"
#include "serve/run.h"

namespace skald::serve {
namespace {

void handle_embedding(const std::shared_ptr<Call>& call) {
  with_model(call, [call](const Lease& model) {
    const Fields fields(call->body());
    answer_embeddings(call, model, read_inputs(fields, "content", *model), 0, [](const Embeddings& made) {
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
