// POST /api/embeddings: ollama's embedding of one text, in its older form.
#include "serve/fields/embed.h"
#include "serve/fields/ollama.h"
#include "serve/route.h"
#include "serve/run/generation.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_old_embed(const std::shared_ptr<RequestContext>& context) {
  with_ollama_model(context, [context](const Lease& model) {
    const Fields fields(context->body());
    if (!fields.text("prompt")) refuse_field("prompt", "a text");
    answer_embeddings(context, model, read_inputs(fields, "prompt", *model), 0, [](const Embeddings& made) {
      return Json{{"embedding", made.vectors.front()}};
    });
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_ollama_embeddings;
const serve::Route route_ollama_embeddings{
    .method = "POST", .paths = {"/api/embeddings"}, .handle = serve::handle_old_embed};
}  // namespace skald
