// POST /api/chat: ollama's chats.
#include "serve/fields/ollama.h"
#include "serve/route.h"
#include "serve/run/generation.h"
#include "serve/service.h"
#include "serve/writers/ollama_writer.h"

namespace skald::serve {
namespace {

void handle_ollama_chat(const std::shared_ptr<RequestContext>& context) {
  with_ollama_model(context, [context](Lease model) {
    const Fields fields(context->body());
    fields.ignore({"model", "name"});
    GenerationRequest what;
    read_ollama(*context, fields, *model, what);
    if (const Json* messages = fields.find("messages"); messages && messages->is_array() && messages->empty())
      return answer_without_text(*context, fields, std::move(model), /*chat=*/true);
    Chat chat = chat_defaults(context->service().options());
    chat.messages = ollama_messages(fields);
    if (const Json* tools = fields.list("tools")) chat.tools = checked_tools(*tools, "tools");
    read_think(fields, chat);
    leave_out_volatile(chat, *context);
    set_chat(std::move(chat), *model, what);
    context->note_unread(fields);
    answer(context, std::move(model), std::move(what),
           std::make_unique<OllamaWriter>(/*chat=*/true, [context = context.get()] { return context->seconds(); }));
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_ollama_chat;
const serve::Route route_ollama_chat{.method = "POST", .paths = {"/api/chat"}, .handle = serve::handle_ollama_chat};
}  // namespace skald
