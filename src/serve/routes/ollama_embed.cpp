// POST /api/embed: ollama's embeddings.
#include "serve/embed_fields.h"
#include "serve/ollama_fields.h"
#include "serve/route.h"
#include "serve/run.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_embed(const std::shared_ptr<Call>& call) {
  with_ollama_model(call, [call](const Lease& model) {
    const Fields fields(call->body());
    const int64_t dimensions = read_dimensions(fields, *model);
    const std::vector<EmbedInput> inputs = read_inputs(fields, "input", *model);
    answer_embeddings(call, model, inputs, dimensions, [&c = *call, id = model->id()](const Embeddings& made) {
      return Json{{"model", id},
                  {"embeddings", made.vectors},
                  {"total_duration", static_cast<int64_t>(c.seconds() * 1e9)},
                  {"load_duration", 0},
                  {"prompt_eval_count", made.tokens}};
    });
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_ollama_embed;
const serve::Route route_ollama_embed{.method = "POST", .paths = {"/api/embed"}, .handle = serve::handle_embed};
}  // namespace skald
