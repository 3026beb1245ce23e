#include "sampling/grammar/replies/tool_list.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "text/chat/chat_json.h"

namespace skald {

std::vector<ToolSchema> read_tool_list(std::string_view json) {
  constexpr std::string_view kNone = R"({"type": "object", "properties": {}})";
  const nlohmann::ordered_json list = parse_chat_json(json, "tools");
  if (!list.is_array()) fail(Errc::kBadInput, "tools: want a list");
  std::vector<ToolSchema> out;
  for (size_t i = 0; i < list.size(); ++i) {
    const nlohmann::ordered_json& tool = list[i];
    const nlohmann::ordered_json& function = tool.is_object() && tool.contains("function") ? tool["function"] : tool;
    if (!function.is_object() || !function.contains("name") || !function["name"].is_string())
      fail(Errc::kBadInput, "tools: entry {} has no function with a name", i);
    ToolSchema one{function["name"].get<std::string>(), std::string(kNone)};
    if (std::ranges::find(out, one.name, &ToolSchema::name) != out.end())
      throw DocumentError::of_name(Errc::kBadInput, "tools: there are two of the name " + one.name, one.name);
    if (function.contains("parameters") && !function["parameters"].is_null()) one.parameters = function["parameters"].dump();
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace skald
