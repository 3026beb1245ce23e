#include "serve/tool_words.h"

#include <string>

namespace skald::serve {
namespace {

std::string text_of(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string out;
  if (content.is_array())
    for (const Json& part : content) out += part.value("text", "");
  return out;
}

std::string description(const Json& tools, bool marked) {
  std::string out = "You may call tools. These are there, one JSON object a line:\n";
  for (const Json& tool : tools) out += tool.value("function", tool).dump() + "\n";
  out += marked
             ? "To call one, write its name and its arguments as JSON between markers:\n"
               "<tool_call>\n{\"name\": \"NAME\", \"arguments\": {}}\n</tool_call>"
             : "To call one, write nothing but its name and its arguments as JSON:\n{\"name\": \"NAME\", \"arguments\": {}}";
  return out;
}

Json arguments_of(const Json& function) {
  Json arguments = function.value("arguments", Json::object());
  if (!arguments.is_string()) return arguments;
  Json parsed = Json::parse(arguments.get<std::string>(), nullptr, /*allow_exceptions=*/false);
  return parsed.is_discarded() ? Json::object() : parsed;
}

std::string calls_text(const Json& calls, bool marked) {
  std::string out;
  for (const Json& call : calls) {
    const Json function = call.value("function", Json::object());
    const std::string json = Json{{"name", function.value("name", "")}, {"arguments", arguments_of(function)}}.dump();
    if (!out.empty()) out += '\n';
    out += marked ? "<tool_call>\n" + json + "\n</tool_call>" : json;
  }
  return out;
}

}  // namespace

Json with_tools_in_words(Json messages, const Json& tools, std::string_view format) {
  const bool marked = format == "hermes";
  Json out = Json::array();
  for (Json& message : messages) {
    if (message["role"] == "tool")
      out.push_back(
          {{"role", "user"}, {"content", "<tool_response>\n" + text_of(message["content"]) + "\n</tool_response>"}});
    else if (message.contains("tool_calls")) {
      std::string said = text_of(message["content"]);
      if (!said.empty()) said += '\n';
      message["content"] = said + calls_text(message["tool_calls"], marked);
      message.erase("tool_calls");
      out.push_back(std::move(message));
    } else {
      out.push_back(std::move(message));
    }
  }
  if (!tools.is_array() || tools.empty()) return out;
  if (!out.empty() && out[0]["role"] == "system")
    out[0]["content"] = text_of(out[0]["content"]) + "\n\n" + description(tools, marked);
  else
    out.insert(out.begin(), Json{{"role", "system"}, {"content", description(tools, marked)}});
  return out;
}

}  // namespace skald::serve
