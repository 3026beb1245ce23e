#include "convert/json_node.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "io/printable.h"

namespace skald {
namespace {

std::string below(const std::string& name, std::string_view key) {
  const std::string_view separator = name.ends_with("json") ? ": " : ".";
  return fmt::format("{}{}{}", name, separator, printable(key, 100));
}

}  // namespace

bool JsonNode::is_object() const { return value_->is_object(); }
bool JsonNode::is_text() const { return value_->is_string(); }

std::optional<JsonNode> JsonNode::find(std::string_view key) const {
  if (!value_->is_object()) want("an object");
  const auto it = value_->find(key);
  if (it == value_->end() || it->is_null()) return std::nullopt;
  return JsonNode(*it, below(name_, key));
}

JsonNode JsonNode::at(std::string_view key) const {
  if (auto found = find(key)) return *std::move(found);
  fail(Errc::kBadFile, "{}: missing", below(name_, key));
}

JsonNode JsonNode::at(size_t i) const { return {(*value_)[i], fmt::format("{}[{}]", name_, i)}; }

size_t JsonNode::size() const {
  if (!value_->is_array()) want("an array");
  return value_->size();
}

const std::string& JsonNode::text() const {
  if (!value_->is_string()) want("a string");
  return value_->get_ref<const std::string&>();
}

int64_t JsonNode::integer() const {
  if (value_->is_number_unsigned() && value_->get<uint64_t>() > uint64_t{INT64_MAX}) want("a smaller number");
  if (!value_->is_number_integer()) want("a whole number");
  return value_->get<int64_t>();
}

double JsonNode::number() const {
  if (!value_->is_number()) want("a number");
  return value_->get<double>();
}

bool JsonNode::flag() const {
  if (!value_->is_boolean()) want("true or false");
  return value_->get<bool>();
}

std::string JsonNode::text(std::string_view key, std::string_view fallback) const {
  const auto found = find(key);
  return found ? found->text() : std::string(fallback);
}

bool JsonNode::flag(std::string_view key, bool fallback) const {
  const auto found = find(key);
  return found ? found->flag() : fallback;
}

void JsonNode::want(std::string_view what) const { fail(Errc::kBadFile, "{}: want {}", name_, what); }

}  // namespace skald
