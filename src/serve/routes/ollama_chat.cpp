// POST /api/chat: ollama's chats.
#include "serve/answers/ollama_form.h"
#include "serve/ollama_fields.h"
#include "serve/route.h"
#include "serve/run.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_ollama_chat(const std::shared_ptr<Call>& call) {
  with_ollama_model(call, [call](Lease model) {
    const Fields fields(call->body());
    fields.ignore({"model", "name"});
    Generation what;
    read_ollama(*call, fields, *model, what);
    if (const Json* messages = fields.find("messages"); messages && messages->is_array() && messages->empty())
      return answer_without_text(*call, fields, std::move(model), /*chat=*/true);
    Chat chat = chat_defaults(call->service().options());
    chat.messages = ollama_messages(fields);
    if (const Json* tools = fields.list("tools")) chat.tools = checked_tools(*tools, "tools");
    read_think(fields, chat);
    leave_out_volatile(chat, *call);
    set_chat(std::move(chat), *model, what);
    call->note_unread(fields);
    answer(call, std::move(model), std::move(what),
           std::make_unique<OllamaForm>(/*chat=*/true, [call = call.get()] { return call->seconds(); }));
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_ollama_chat;
const serve::Route route_ollama_chat{.method = "POST", .paths = {"/api/chat"}, .handle = serve::handle_ollama_chat};
}  // namespace skald
