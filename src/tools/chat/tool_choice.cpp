#include "tools/chat/tool_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"

namespace skald {
namespace {

using Json = nlohmann::ordered_json;
using ToolChoice = ReplyParams::ToolChoice;

const Json* member(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) && !object[key].is_null() ? &object[key] : nullptr;
}

std::vector<std::string> names_of(const Json& tools) {
  std::vector<std::string> names;
  for (const Json& tool : tools) {
    const Json* function = member(tool, "function");
    const Json* name = member(function ? *function : tool, "name");
    if (name && name->is_string()) names.push_back(name->get<std::string>());
  }
  return names;
}

}  // namespace

void set_tool_choice(ChatOptions& options, const std::string& choice) {
  options.tool.clear();
  options.tool_choice = choice == "auto" ? ToolChoice::kAuto : choice == "none" ? ToolChoice::kNone : ToolChoice::kRequired;
  if (choice == "auto" || choice == "none" || choice == "required") return;
  const std::vector<std::string> names = names_of(options.tools);
  if (std::ranges::find(names, choice) == names.end())
    fail(Errc::kBadInput, "there is no tool of the name {}; there are {}", choice, fmt::join(names, ", "));
  options.tool = choice;
}

void set_tool_choice(ChatOptions& options, const Json& choice) {
  if (choice.is_string()) {
    const auto word = choice.get<std::string>();
    if (word != "auto" && word != "none" && word != "required")
      fail(Errc::kBadInput, "tool_choice: want auto, none, required or an object that names a function");
    return set_tool_choice(options, word);
  }
  const Json* function = member(choice, "function");
  const Json* name = function ? member(*function, "name") : nullptr;
  if (!name || !name->is_string())
    fail(Errc::kBadInput, "tool_choice: want auto, none, required or an object that names a function");
  doing("tool_choice", [&] { set_tool_choice(options, name->get<std::string>()); });
}

GrammarParams response_grammar(const Json& format) {
  const Json* type = member(format, "type");
  if (!type || !type->is_string()) fail(Errc::kBadInput, "response_format: want an object with a type");
  GrammarParams out;
  if (*type == "text") return out;
  out.kind = GrammarParams::Kind::kJsonSchema;
  const Json* nested = member(format, "json_schema");
  const Json* schema = member(nested ? *nested : format, "schema");
  if (*type == "json_schema" && !schema) fail(Errc::kBadInput, "response_format.json_schema: there is no schema");
  if (*type != "json_schema" && *type != "json_object")
    fail(Errc::kBadInput, "response_format.type: want text, json_object or json_schema");
  out.text = schema ? schema->dump() : R"({"type": "object"})";
  return out;
}

}  // namespace skald
