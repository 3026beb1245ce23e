// POST /api/embed: ollama's embeddings.
#include "serve/fields/embed.h"
#include "serve/fields/ollama.h"
#include "serve/route.h"
#include "serve/run/generation.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_embed(const std::shared_ptr<RequestContext>& context) {
  with_ollama_model(context, [context](const Lease& model) {
    const Fields fields(context->body());
    const int64_t dimensions = read_dimensions(fields, *model);
    const std::vector<EmbedInput> inputs = read_inputs(fields, "input", *model);
    answer_embeddings(context, model, inputs, dimensions, [&c = *context, id = model->id()](const Embeddings& made) {
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
