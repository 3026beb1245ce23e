#include "tools/chat/tool_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "text/chat/json_text.h"

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
  options.callable.clear();
  options.tool_choice = choice == "auto" ? ToolChoice::kAuto : choice == "none" ? ToolChoice::kNone : ToolChoice::kRequired;
  if (choice == "auto" || choice == "none" || choice == "required") return;
  const std::vector<std::string> names = names_of(options.tools);
  if (std::ranges::find(names, choice) == names.end())
    fail(Errc::kBadInput, "there is no tool of the name {}; there are {}", choice, fmt::join(names, ", "));
  options.tool = choice;
}

// {"type": "allowed_tools", "allowed_tools": {"mode", "tools"}}, or mode and tools beside the type.
static void set_allowed_tools(ChatOptions& options, const Json& choice) {
  const Json* nested = member(choice, "allowed_tools");
  const Json& allowed = nested ? *nested : choice;
  const Json *mode = member(allowed, "mode"), *tools = member(allowed, "tools");
  if (!mode || (!is_text(*mode, "auto") && !is_text(*mode, "required")))
    fail(Errc::kBadInput, "tool_choice: mode: want auto or required");
  if (!tools || !tools->is_array() || tools->empty()) fail(Errc::kBadInput, "tool_choice: tools: want a list of tools");
  const std::vector<std::string> known = names_of(options.tools), names = names_of(*tools);
  if (names.size() != tools->size()) fail(Errc::kBadInput, "tool_choice: tools: want functions with names");
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      fail(Errc::kBadInput, "tool_choice: tools: there is no tool of the name {}; there are {}", name,
           fmt::join(known, ", "));
  set_tool_choice(options, mode->get<std::string>());
  options.callable = names;
}

void set_tool_choice(ChatOptions& options, const Json& choice) {
  constexpr const char* kWanted =
      "tool_choice: want auto, none, required, an object that names a function, or allowed_tools";
  if (choice.is_string()) {
    const auto word = choice.get<std::string>();
    if (word != "auto" && word != "none" && word != "required") fail(Errc::kBadInput, kWanted);
    return set_tool_choice(options, word);
  }
  if (const Json* type = member(choice, "type"); type && *type == "allowed_tools") return set_allowed_tools(options, choice);
  const Json* function = member(choice, "function");
  const Json* name = function ? member(*function, "name") : nullptr;
  if (!name || !name->is_string()) fail(Errc::kBadInput, kWanted);
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
