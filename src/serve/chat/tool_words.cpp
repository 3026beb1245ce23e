#include "serve/chat/tool_words.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "text/chat/chat_request.h"

namespace skald::serve {
namespace {

std::string text_of(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string out;
  if (content.is_array())
    for (const Json& part : content) out += part.value("text", "");
  return out;
}

/// The texts around calls that are JSON.
struct Around {
  std::string_view open, close;
};

/// None: the format has calls of another kind.
std::optional<Around> around_json(const ReplyFormat& format) {
  if (format.name == "json") return Around{};
  for (const CallSyntax& call : format.marked.calls)
    if (const auto* json = std::get_if<JsonCalls>(&call)) return Around{json->open, json->close};
  return {};
}

std::string marked(std::string_view json, const Around& around) {
  std::string out;
  if (!around.open.empty()) out += std::string(around.open) + "\n";
  out += json;
  if (!around.close.empty()) out += "\n" + std::string(around.close);
  return out;
}

std::string description(const Json& tools, const ReplyFormat& format) {
  std::string out = "You may call tools. These are there, one JSON object a line:\n";
  for (const Json& tool : tools) out += tool.value("function", tool).dump() + "\n";
  const std::optional<Around> around = around_json(format);
  if (!around) return out;
  out += around->open.empty() ? "To call one, write nothing but its name and its arguments as JSON:\n"
                              : "To call one, write its name and its arguments as JSON between markers:\n";
  return out + marked(R"({"name": "NAME", "arguments": {}})", *around);
}

Json arguments_of(const Json& function) {
  Json arguments = function.value("arguments", Json::object());
  if (!arguments.is_string()) return arguments;
  Json parsed = Json::parse(arguments.get<std::string>(), nullptr, /*allow_exceptions=*/false);
  return parsed.is_discarded() ? Json::object() : parsed;
}

std::string calls_text(const Json& calls, const Around& around) {
  std::string out;
  for (const Json& call : calls) {
    const Json function = call.value("function", Json::object());
    const std::string json = Json{{"name", function.value("name", "")}, {"arguments", arguments_of(function)}}.dump();
    if (!out.empty()) out += '\n';
    out += marked(json, around);
  }
  return out;
}

}  // namespace

Json with_tools_in_words(Json messages, const Json& tools, const ReplyFormat& format) {
  if (!has_tools(tools)) return messages;
  if (!messages.empty() && is_text(messages[0]["role"], "system"))
    messages[0]["content"] = text_of(messages[0]["content"]) + "\n\n" + description(tools, format);
  else
    messages.insert(messages.begin(), Json{{"role", "system"}, {"content", description(tools, format)}});
  return messages;
}

Json with_calls_in_words(Json messages, const ReplyFormat& format) {
  const Around around = around_json(format).value_or(Around{});
  for (Json& message : messages) {
    if (!message.contains("tool_calls")) continue;
    std::string said = text_of(message["content"]);
    if (!said.empty()) said += '\n';
    message["content"] = said + calls_text(message["tool_calls"], around);
    message.erase("tool_calls");
  }
  return messages;
}

// Those of one answer are one message: many templates want users and assistants in turn.
Json with_results_in_words(Json messages) {
  Json out = Json::array();
  bool goes_on = false;
  for (Json& message : messages) {
    const bool result = is_text(message["role"], "tool");
    if (result) {
      const std::string text = "<tool_response>\n" + text_of(message["content"]) + "\n</tool_response>";
      if (goes_on)
        out.back()["content"] = out.back()["content"].get<std::string>() + "\n" + text;
      else
        out.push_back({{"role", "user"}, {"content", text}});
    } else {
      out.push_back(std::move(message));
    }
    goes_on = result;
  }
  return out;
}

}  // namespace skald::serve
