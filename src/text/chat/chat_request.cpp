#include "text/chat/chat_request.h"

#include <utility>

#include "base/error.h"

namespace skald {
namespace {

using Json = nlohmann::ordered_json;

// Null where there is none.
Json take(Json& from, const char* key) {
  Json value = from.contains(key) ? std::move(from[key]) : Json();
  from.erase(key);
  return value;
}

bool take_flag(Json& from, const char* key, bool usual, const std::string& what) {
  const Json value = take(from, key);
  if (!value.is_null() && !value.is_boolean()) fail(Errc::kBadInput, "{}: {}: want true or false", what, key);
  return value.is_null() ? usual : value.get<bool>();
}

}  // namespace

ChatRequest read_chat_request(Json json, const std::string& what, Json* rest) {
  ChatRequest out;
  if (rest) *rest = Json::object();
  if (json.is_object()) {
    if (!json.contains("messages")) fail(Errc::kBadInput, "{}: an object without \"messages\"", what);
    out.messages = take(json, "messages");
    out.tools = take(json, "tools");
    out.documents = take(json, "documents");
    out.kwargs = take(json, "chat_template_kwargs");
    out.continue_final_message = take_flag(json, "continue_final_message", false, what);
    out.add_generation_prompt = take_flag(json, "add_generation_prompt", !out.continue_final_message, what);
    if (rest) *rest = std::move(json);
  } else {
    out.messages = std::move(json);
  }
  if (!out.messages.is_array()) fail(Errc::kBadInput, "{}: want a list of messages, or an object that has one", what);
  return out;
}

bool has_tools(const Json& tools) { return tools.is_array() && !tools.empty(); }

}  // namespace skald
