#include "text/chat/chat_request.h"

#include <utility>

#include "base/error.h"

namespace skald {
namespace {

using Json = nlohmann::ordered_json;

void take(Json& from, const char* key, Json& to) {
  if (from.contains(key)) to = std::move(from[key]);
}

void take(const Json& from, const char* key, bool& to, const std::string& what) {
  if (!from.contains(key)) return;
  if (!from[key].is_boolean()) fail(Errc::kBadInput, "{}: {}: want true or false", what, key);
  to = from[key].get<bool>();
}

}  // namespace

ChatRequest read_chat_request(Json json, const std::string& what) {
  ChatRequest out;
  if (json.is_object()) {
    if (!json.contains("messages")) fail(Errc::kBadInput, "{}: an object without \"messages\"", what);
    take(json, "tools", out.tools);
    take(json, "documents", out.documents);
    take(json, "chat_template_kwargs", out.kwargs);
    take(json, "continue_final_message", out.continue_final_message, what);
    out.add_generation_prompt = !out.continue_final_message;
    take(json, "add_generation_prompt", out.add_generation_prompt, what);
    json = std::move(json["messages"]);
  }
  if (!json.is_array()) fail(Errc::kBadInput, "{}: want a list of messages, or an object that has one", what);
  out.messages = std::move(json);
  return out;
}

}  // namespace skald
