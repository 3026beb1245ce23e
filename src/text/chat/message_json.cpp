#include "text/chat/message_json.h"

#include <nlohmann/json.hpp>

namespace skald {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const ReplyCall& call) {
  Json out = Json::object();
  if (!call.id.empty()) out["id"] = call.id;
  out["type"] = "function";
  out["function"] = {{"name", call.name}, {"arguments", call.arguments}};
  return out;
}

}  // namespace

Json message_json(const ChatMessage& message) {
  Json out{{"role", message.role}, {"content", message.content}};
  if (!message.reasoning.empty()) out["reasoning_content"] = message.reasoning;
  if (!message.call_id.empty()) out["tool_call_id"] = message.call_id;
  if (!message.name.empty()) out["name"] = message.name;
  for (const ReplyCall& call : message.calls) out["tool_calls"].push_back(json_of(call));
  return out;
}

}  // namespace skald
