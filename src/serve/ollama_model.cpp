// The model of ollama's requests, and what it has to say about them.
#include <utility>

#include "serve/answers/ollama_form.h"
#include "serve/api_error.h"
#include "serve/ollama_fields.h"
#include "serve/run.h"
#include "serve/service.h"

namespace skald::serve {

std::string ollama_model(const Fields& fields, ModelShelf& models) {
  std::string name = fields.text("model").value_or(fields.text("name").value_or(""));
  if (name.empty()) refuse_field("model", "the name of a model");
  if (models.list(name).empty()) throw ApiError(404, "model '" + name + "' not found", "model", "model_not_found");
  return name;
}

void with_ollama_model(const std::shared_ptr<Call>& call, std::function<void(Lease)> make) {
  with_model(call, ollama_model(Fields(call->body()), call->service().models()), std::move(make));
}

void answer_without_text(Call& call, const Fields& fields, Lease model, bool chat) {
  ModelShelf& models = call.service().models();
  const bool unload = read_keep_alive(fields) == 0 && !models.single();
  const std::string id = model->id();
  model.reset();
  if (unload) models.unload(id);
  call.send(loaded_line(id, chat, unload));
}

void read_ollama(Call& call, const Fields& fields, ServedModel& model, Generation& out) {
  const Fields options = ollama_options(fields);
  read_generation(options, model, 0.8f, {call.owner}, out);
  call.note_unread(options);
  read_ollama_form(fields, out);
}

}  // namespace skald::serve
