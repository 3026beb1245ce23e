// POST /api/generate: ollama's completions: of a message, or with `raw` of a text.
#include "serve/fields/infill.h"
#include "serve/fields/ollama.h"
#include "serve/fields/prompt.h"
#include "serve/route.h"
#include "serve/run/generation.h"
#include "serve/service.h"
#include "serve/writers/ollama_writer.h"

namespace skald::serve {
namespace {

Chat chat_of(const Fields& fields, const std::string& prompt, const ServeOptions& options) {
  Chat chat = chat_defaults(options);
  if (const auto system = fields.text("system"); system && !system->empty())
    chat.messages.push_back({{"role", "system"}, {"content", *system}});
  chat.field = "prompt";
  chat.messages.push_back({{"role", "user"}, {"content", prompt}});
  read_think(fields, chat);
  return chat;
}

void refuse_others(const Fields& fields) {
  if (fields.find("template") && !is_text(*fields.find("template"), ""))
    refuse_field("template", "none: the server's operator chooses the template");
  if (const Json* images = fields.list("images"); images && !images->empty())
    refuse_field("images", "none: they are not supported");
}

void handle_generate(const std::shared_ptr<RequestContext>& context) {
  with_ollama_model(context, [context](Lease model) {
    const Fields fields(context->body());
    fields.ignore({"model", "name"});
    GenerationRequest what;
    read_ollama(*context, fields, *model, what);
    refuse_others(fields);
    const std::string prompt = fields.text("prompt").value_or("");
    const bool raw = fields.flag("raw").value_or(false);
    if (prompt.empty()) return answer_without_text(*context, fields, std::move(model), /*chat=*/false);
    const auto suffix = fields.text("suffix");
    if (suffix && !suffix->empty()) {
      if (raw) refuse_field("suffix", "none with raw");
      what.prompts = read_infills(fields, "prompt", *model, 1, context->service().options().suffix_first);
    } else if (raw)
      what.prompts = read_prompts(fields, "prompt", *model, 1);
    else
      set_chat(chat_of(fields, prompt, context->service().options()), *model, what);
    context->note_unread(fields);
    answer(context, std::move(model), std::move(what),
           std::make_unique<OllamaWriter>(/*chat=*/false, [context = context.get()] { return context->seconds(); }));
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_ollama_generate;
const serve::Route route_ollama_generate{.method = "POST", .paths = {"/api/generate"}, .handle = serve::handle_generate};
}  // namespace skald
