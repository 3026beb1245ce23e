// POST /v1/embeddings: OpenAI's embeddings.
#include "serve/fields/embed.h"
#include "serve/route.h"
#include "serve/run/generation.h"

namespace skald::serve {
namespace {

void handle_embeddings(const std::shared_ptr<RequestContext>& context) {
  with_model(context, [context](const Lease& model) {
    const Fields fields(context->body());
    fields.ignore({"model"});
    const bool base = fields.word("encoding_format", {"float", "base64"}).value_or("float") == "base64";
    const int64_t dimensions = read_dimensions(fields, *model);
    const std::vector<EmbedInput> inputs = read_inputs(fields, "input", *model);
    context->note_unread(fields);
    answer_embeddings(context, model, inputs, dimensions, [base, id = model->id()](const Embeddings& made) {
      Json data = Json::array();
      for (const std::vector<float>& v : made.vectors)
        data.push_back({{"object", "embedding"}, {"index", data.size()}, {"embedding", base ? Json(base64(v)) : Json(v)}});
      return Json{{"object", "list"},
                  {"model", id},
                  {"data", std::move(data)},
                  {"usage", {{"prompt_tokens", made.tokens}, {"total_tokens", made.tokens}}}};
    });
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_embeddings;
const serve::Route route_embeddings{
    .method = "POST", .paths = {"/v1/embeddings", "/embeddings"}, .handle = serve::handle_embeddings};
}  // namespace skald
