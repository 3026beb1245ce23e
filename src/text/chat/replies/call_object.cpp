#include "text/chat/replies/call_object.h"

#include <algorithm>
#include <array>

#include "text/chat/replies/json_scanner.h"
#include "text/chat/replies/json_text.h"
#include "text/chat/replies/white_space.h"

namespace skald {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"name", "tool_name", "function"};
constexpr std::array<std::string_view, 3> kArguments = {"arguments", "parameters", "args"};
constexpr std::array<std::string_view, 3> kIds = {"id", "tool_call_id", "call_id"};

template <size_t N>
bool is_one_of(const std::array<std::string_view, N>& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

}  // namespace

bool begins_call(std::string_view key) {
  return key == "type" || is_one_of(kNames, key) || is_one_of(kArguments, key) || is_one_of(kIds, key);
}

std::optional<std::string> arguments_json(std::string_view value) {
  std::string text;
  if (value.starts_with('"')) {
    text = unquote_json(value);
    value = trimmed(text);
    if (!value.empty() && !is_json(value)) return std::nullopt;
  }
  if (value.empty() || value == "null") return "{}";
  return value.starts_with('{') ? std::optional(plain_json(value)) : std::nullopt;
}

std::optional<CallObject> call_object(std::string_view json) {
  const auto members = json_members(json);
  if (!members) return std::nullopt;
  CallObject out{.call = {}, .has_arguments = false};
  for (const auto& [key, value] : *members) {
    if (is_one_of(kNames, key)) {
      if (key == "function" && value.starts_with('{')) return members->size() <= 4 ? call_object(value) : std::nullopt;
      if (!value.starts_with('"')) return std::nullopt;
      out.call.name = unquote_json(value);
    } else if (is_one_of(kArguments, key)) {
      std::optional<std::string> arguments = arguments_json(value);
      if (!arguments) return std::nullopt;
      out.call.arguments = std::move(*arguments);
      out.has_arguments = true;
    } else if (is_one_of(kIds, key)) {
      out.call.id = value.starts_with('"') ? unquote_json(value) : std::string(value);
    }
  }
  return out.call.name.empty() ? std::nullopt : std::optional(std::move(out));
}

std::optional<CallObject> call_by_key(std::string_view json) {
  const auto members = json_members(json);
  if (!members || members->size() != 1) return std::nullopt;
  std::optional<std::string> arguments = arguments_json(members->front().second);
  if (!arguments || members->front().first.empty()) return std::nullopt;
  return CallObject{.call = {.name = members->front().first, .arguments = std::move(*arguments)}, .has_arguments = true};
}

}  // namespace skald
