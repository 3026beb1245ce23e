// The model of ollama's requests, and its messages about them.
#include <utility>

#include "serve/api_error.h"
#include "serve/fields/ollama.h"
#include "serve/run/generation.h"
#include "serve/service.h"
#include "serve/writers/ollama_writer.h"

namespace skald::serve {

std::string ollama_model(const Fields& fields, ModelPool& models) {
  std::string name = fields.text("model").value_or(fields.text("name").value_or(""));
  if (name.empty()) refuse_field("model", "the name of a model");
  if (models.list(name).empty()) throw ApiError(404, "model '" + name + "' not found", "model", "model_not_found");
  return name;
}

void with_ollama_model(const std::shared_ptr<RequestContext>& context, std::function<void(Lease)> make) {
  with_model(context, ollama_model(Fields(context->body()), context->service().models()), std::move(make));
}

void answer_without_text(RequestContext& context, const Fields& fields, Lease model, bool chat) {
  ModelPool& models = context.service().models();
  const bool unload = read_keep_alive(fields) == 0 && !models.single();
  const std::string id = model->id();
  model.reset();
  if (unload) models.unload(id);
  context.send(loaded_line(id, chat, unload));
}

void read_ollama(RequestContext& context, const Fields& fields, ServedModel& model, GenerationRequest& out) {
  const Fields options = ollama_options(fields);
  read_generation(options, model, kLlamaTemperature, {context.owner}, out);
  context.note_unread(options);
  read_ollama_format(fields, out);
}

}  // namespace skald::serve
