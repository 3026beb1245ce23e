#include "text/chat/messages.h"

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace skald {
namespace {

using Json = nlohmann::ordered_json;

Json without_nulls(const Json& message) {
  Json out = Json::object();
  for (const auto& [key, value] : message.items())
    if (!value.is_null()) out[key] = value;
  return out;
}

// "thinking" comes first unless it is there, "reasoning_content" where it was, or last.
Json with_reasoning(Json message) {
  const Json* reasoning = nullptr;
  for (const char* name : {"reasoning_content", "thinking", "reasoning"})
    if (!reasoning && message.contains(name)) reasoning = &message[name];
  if (!reasoning) return message;
  const Json text = *reasoning;
  Json out = Json::object();
  if (!message.contains("thinking")) out["thinking"] = text;
  for (const auto& [key, value] : message.items()) out[key] = value;
  out["reasoning_content"] = text;
  return out;
}

// Calls f(arguments) for the arguments of each tool call, which are in its "function" or in itself.
template <class Messages, class F>
void for_each_arguments(Messages& messages, F&& f) {
  for (auto& message : messages) {
    if (!message.is_object() || !message.contains("tool_calls") || !message["tool_calls"].is_array()) continue;
    for (auto& call : message["tool_calls"]) {
      if (!call.is_object()) continue;
      if (call.contains("function") && call["function"].is_object() && call["function"].contains("arguments"))
        f(call["function"]["arguments"]);
      else if (call.contains("arguments"))
        f(call["arguments"]);
    }
  }
}

// JSON as Python's json.dumps() writes it.
void append_json(std::string& out, const Json& value) {
  if (value.is_object() || value.is_array()) {
    const bool object = value.is_object();
    out += object ? '{' : '[';
    bool first = true;
    for (const auto& [key, item] : value.items()) {
      if (!first) out += ", ";
      first = false;
      if (object) out += Json(key).dump() + ": ";
      append_json(out, item);
    }
    out += object ? '}' : ']';
  } else {
    out += value.dump();
  }
}

}  // namespace

Json prepared_messages(const Json& messages) {
  if (!messages.is_array()) fail(Errc::kBadInput, "messages: want a list of objects");
  Json out = Json::array();
  for (size_t i = 0; i < messages.size(); ++i) {
    if (!messages[i].is_object()) fail(Errc::kBadInput, "messages[{}]: want an object with a role and a content", i);
    out.push_back(with_reasoning(without_nulls(messages[i])));
  }
  return out;
}

bool has_arguments(const Json& messages) {
  bool out = false;
  for_each_arguments(messages, [&out](const Json&) { out = true; });
  return out;
}

Json with_object_arguments(Json messages) {
  for_each_arguments(messages, [](Json& arguments) {
    if (!arguments.is_string()) return;
    const Json parsed = Json::parse(arguments.get_ref<const std::string&>(), nullptr, false);
    if (parsed.is_object()) arguments = parsed;
  });
  return messages;
}

Json with_text_arguments(Json messages) {
  for_each_arguments(messages, [](Json& arguments) {
    if (arguments.is_string()) return;
    std::string text;
    append_json(text, arguments);
    arguments = std::move(text);
  });
  return messages;
}

Json with_plain_calls(Json messages) {
  for (Json& message : messages) {
    if (!message.contains("tool_calls")) continue;
    if (!message.contains("content") || message.contains("reasoning_content")) message["content"] = "";
  }
  return messages;
}

bool has_text_parts(const Json& message) {
  if (!message.is_object() || !message.contains("content") || !message["content"].is_array() || message["content"].empty())
    return false;
  for (const Json& part : message["content"])
    if (!part.is_object() || !part.contains("text") || !part["text"].is_string() || part.value("type", "text") != "text")
      return false;
  return true;
}

void join_text_parts(Json& message) {
  std::string text;
  bool first = true;
  for (const Json& part : message["content"]) {
    if (!first) text += '\n';
    first = false;
    text += part["text"].get_ref<const std::string&>();
  }
  message["content"] = std::move(text);
}

}  // namespace skald
