#include "serve/ollama_fields.h"

#include <utility>

#include "serve/api_error.h"
#include "serve/run.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

GrammarParams grammar_of(const Fields& fields) {
  const Json* format = fields.find("format");
  if (!format || *format == "") return {};
  GrammarParams out{.kind = GrammarParams::Kind::kJsonSchema};
  if (*format == "json")
    out.text = R"({"type": "object"})";
  else if (format->is_object())
    out.text = format->dump();
  else
    refuse_field("format", "json or a JSON schema");
  return out;
}

}  // namespace

std::string ollama_model(const Fields& fields, ModelShelf& models) {
  std::string name = fields.text("model").value_or(fields.text("name").value_or(""));
  if (name.empty()) refuse_field("model", "the name of a model");
  if (models.list(name).empty()) throw ApiError(404, "model '" + name + "' not found", "model", "model_not_found");
  return name;
}

void with_ollama_model(const std::shared_ptr<Call>& call, std::function<void(Lease)> make) {
  with_model(call, ollama_model(Fields(call->body()), call->service().models()), std::move(make));
}

void read_ollama(const Fields& fields, ServedModel& model, const Asker& asker, Generation& out) {
  static const Json kNone = Json::object();
  const Json* options = fields.find("options");
  const Fields of = options ? Fields::of(*options, "options") : Fields(kNone, "options");
  read_generation(of, model, 0.8f, asker, out);
  out.request.grammar = grammar_of(fields);
  out.stream = fields.flag("stream").value_or(true);
  if (const Json* keep = fields.find("keep_alive"); keep && !keep->is_string() && !keep->is_number())
    refuse_field("keep_alive", "a time");
}

void read_think(const Fields& fields, Chat& chat) {
  const Json* think = fields.find("think");
  if (!think) return;
  if (think->is_string())
    chat.reasoning_effort = think->get<std::string>();
  else if (!think->is_boolean())
    refuse_field("think", "true, false, or low, medium or high");
  else if (!think->get<bool>())
    chat.reasoning_budget = 0;
}

// Arguments are objects here, which templates take as well.
Json ollama_messages(const Fields& fields) {
  const Json* messages = fields.find("messages");
  Json all = messages ? *messages : Json();
  if (all.is_array())
    for (Json& message : all)
      if (message.is_object() && message.contains("images") && !message["images"].is_null() && !message["images"].empty())
        throw ApiError(400, "messages: images are not supported", "messages");
  return checked_messages(all, "messages");
}

}  // namespace skald::serve
