#include "serve/fields/error_place.h"

#include <algorithm>
#include <ranges>
#include <string_view>
#include <vector>

namespace skald::serve {
namespace {

bool is_index(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "/anyOf/1/properties/a" -> ".anyOf[1].properties.a"; `document` tells lists from objects.
std::string dotted(const std::string& pointer, const Json* document) {
  std::vector<std::string> keys;  // the last one first
  for (Json::json_pointer at(pointer); !at.empty(); at.pop_back()) keys.push_back(at.back());
  std::string out;
  for (const std::string& key : keys | std::views::reverse) {
    const bool in_list = document && document->is_array() && is_index(key);
    out += in_list ? "[" + key + "]" : "." + key;
    const Json::json_pointer step = Json::json_pointer() / key;
    document = document && document->contains(step) ? &document->at(step) : nullptr;
  }
  return out;
}

const Json* member(const Json& object, const std::string& key) {
  return object.is_object() && object.contains(key) ? &object[key] : nullptr;
}

// A tool of the chat API is {"function": {...}}; those of the others have the fields themselves.
std::string place_in_tool(const DocumentError& error, const Json& tool, const std::string& path) {
  const Json* const function = member(tool, "function");
  const std::string at = function ? path + ".function" : path;
  const Json& fields = function ? *function : tool;
  if (!error.pointer()) return at + ".name";
  const char* const key = fields.contains("input_schema") ? "input_schema" : "parameters";
  return at + "." + key + dotted(*error.pointer(), member(fields, key));
}

std::string name_of(const Json& tool) {
  const Json* const function = member(tool, "function");
  const Json* const name = member(function ? *function : tool, "name");
  return name && name->is_string() ? name->get<std::string>() : "";
}

}  // namespace

std::string place_of(const DocumentError& error, const Json& body, const std::string& schema) {
  if (error.tool().empty() && error.pointer()) return schema + dotted(*error.pointer(), nullptr);
  const Json* const tools = member(body, "tools");
  // Of two tools of one name, the last one is wrong.
  for (size_t i = tools && tools->is_array() ? tools->size() : 0; i-- > 0;)
    if (name_of((*tools)[i]) == error.tool()) return place_in_tool(error, (*tools)[i], "tools[" + std::to_string(i) + "]");
  return "tools";
}

}  // namespace skald::serve
