#include "text/chat/replies/reply_tools.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "text/chat/replies/json_scanner.h"

namespace skald {
namespace {

using nlohmann::json;

uint8_t kind_of(const json& value) {
  switch (value.type()) {
    case json::value_t::object:
      return kObjectKind;
    case json::value_t::array:
      return kArrayKind;
    case json::value_t::string:
      return kTextKind;
    case json::value_t::boolean:
      return kBoolKind;
    case json::value_t::null:
      return kNullKind;
    default:
      return kNumberKind;
  }
}

uint8_t kind_of_type(const json& type) {
  static const std::map<std::string, uint8_t> kTypes = {
      {"string", kTextKind}, {"number", kNumberKind}, {"integer", kNumberKind}, {"boolean", kBoolKind},
      {"null", kNullKind},   {"object", kObjectKind}, {"array", kArrayKind}};
  if (!type.is_string()) return kNoKind;
  const auto found = kTypes.find(type.get<std::string>());
  return found == kTypes.end() ? uint8_t{kNoKind} : found->second;
}

/// Follows a schema's keywords for kinds; `root`: where references begin.
class Kinds {
 public:
  explicit Kinds(const json& root) : root_(root) {}

  uint8_t of(const json& schema, int depth = 0) const {
    constexpr int kMaxDepth = 16;
    if (!schema.is_object() || depth == kMaxDepth) return kNoKind;
    uint8_t kinds = named(schema) | listed(schema);
    for (const char* choice : {"anyOf", "oneOf", "allOf"}) {
      const auto found = schema.find(choice);
      if (found == schema.end() || !found->is_array()) continue;
      for (const json& one : *found) kinds |= of(one, depth + 1);
    }
    if (const auto found = schema.find("$ref"); found != schema.end()) kinds |= of(target(*found), depth + 1);
    if (const auto found = schema.find("nullable"); kinds && found != schema.end() && *found == true) kinds |= kNullKind;
    if (!kinds && schema.contains("properties")) kinds = kObjectKind;
    if (!kinds && schema.contains("items")) kinds = kArrayKind;
    return kinds;
  }

 private:
  static uint8_t named(const json& schema) {
    const auto found = schema.find("type");
    if (found == schema.end()) return kNoKind;
    if (!found->is_array()) return kind_of_type(*found);
    uint8_t kinds = kNoKind;
    for (const json& one : *found) kinds |= kind_of_type(one);
    return kinds;
  }
  /// Of the values that are listed where no type is.
  static uint8_t listed(const json& schema) {
    uint8_t kinds = kNoKind;
    if (schema.contains("type")) return kinds;
    if (const auto found = schema.find("const"); found != schema.end()) kinds |= kind_of(*found);
    if (const auto found = schema.find("enum"); found != schema.end() && found->is_array()) {
      for (const json& one : *found) kinds |= kind_of(one);
    }
    return kinds;
  }
  /// Returns the target of a reference within the schema, else null.
  json target(const json& reference) const {
    if (!reference.is_string() || !reference.get_ref<const std::string&>().starts_with("#/")) return {};
    try {
      return root_.at(json::json_pointer(reference.get_ref<const std::string&>().substr(1)));
    } catch (const json::exception&) {
      return {};
    }
  }

  const json& root_;
};

std::map<std::string, uint8_t, std::less<>> parameters_of(const json& function) {
  std::map<std::string, uint8_t, std::less<>> out;
  const auto schema = function.find("parameters");
  if (schema == function.end() || !schema->is_object()) return out;
  const auto properties = schema->find("properties");
  if (properties == schema->end() || !properties->is_object()) return out;
  for (const auto& [name, one] : properties->items()) out[name] = Kinds(*schema).of(one);
  return out;
}

json parsed(std::string_view text) {
  if (!is_json(text)) fail(Errc::kBadInput, "tools: not JSON, or nested more than {} deep", JsonScanner::kMaxDepth);
  try {
    return json::parse(text);
  } catch (const json::exception& e) {
    fail(Errc::kBadInput, "tools: {}", e.what());
  }
}

}  // namespace

JsonKind json_kind(std::string_view value) {
  switch (value.empty() ? ' ' : value.front()) {
    case '{':
      return kObjectKind;
    case '[':
      return kArrayKind;
    case '"':
      return kTextKind;
    case 't':
    case 'f':
      return kBoolKind;
    case 'n':
      return kNullKind;
    case ' ':
      return kNoKind;
    default:
      return kNumberKind;
  }
}

ReplyTools ReplyTools::parse(std::string_view text) {
  const json list = parsed(text);
  if (!list.is_array()) fail(Errc::kBadInput, "tools: want a list");
  ReplyTools out;
  out.tools_.emplace();
  for (size_t i = 0; i < list.size(); ++i) {
    const json& tool = list[i];
    const json* function = tool.is_object() && tool.contains("function") ? &tool["function"] : &tool;
    if (!function->is_object() || !function->contains("name") || !(*function)["name"].is_string()) {
      fail(Errc::kBadInput, "tools: entry {} has no function with a name", i);
    }
    (*out.tools_)[(*function)["name"].get<std::string>()] = parameters_of(*function);
  }
  return out;
}

const ReplyTools::Parameters* ReplyTools::find(std::string_view name) const {
  if (!tools_) return nullptr;
  const auto found = tools_->find(name);
  return found == tools_->end() ? nullptr : &found->second;
}

std::vector<std::string> ReplyTools::names() const {
  std::vector<std::string> out;
  if (tools_)
    for (const auto& [name, parameters] : *tools_) out.push_back(name);
  return out;
}

bool ReplyTools::has(std::string_view name) const { return !tools_ || find(name); }

bool ReplyTools::has_parameter(std::string_view name, std::string_view parameter) const {
  const Parameters* parameters = find(name);
  return !parameters || parameters->empty() || parameters->contains(parameter);
}

uint8_t ReplyTools::kinds(std::string_view name, std::string_view parameter) const {
  const Parameters* parameters = find(name);
  if (!parameters) return kNoKind;
  const auto found = parameters->find(parameter);
  return found == parameters->end() ? uint8_t{kNoKind} : found->second;
}

}  // namespace skald
