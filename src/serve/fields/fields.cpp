#include "serve/fields/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <utility>

#include "serve/api_error.h"

namespace skald::serve {

Fields::Fields(const Json& object, std::string path) : object_(&object), path_(std::move(path)) {}

Fields Fields::of(const Json& json, const std::string& path) {
  if (!json.is_object()) refuse_field(path, "an object");
  return Fields(json, path);
}

const Json* Fields::find(std::string_view key) const {
  read_.emplace(key);
  const auto it = object_->find(key);
  return it == object_->end() || it->is_null() ? nullptr : &*it;
}

std::string Fields::path(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

std::optional<bool> Fields::flag(std::string_view key) const {
  const Json* value = find(key);
  if (!value) return {};
  if (!value->is_boolean()) refuse_field(path(key), "true or false");
  return value->get<bool>();
}

std::optional<int64_t> Fields::integer(std::string_view key, int64_t least, int64_t most) const {
  const Json* value = find(key);
  if (!value) return {};
  if (const std::optional<int64_t> number = whole_number(*value, least, most)) return number;
  refuse_field(path(key), most == std::numeric_limits<int64_t>::max()
                              ? fmt::format("a whole number of at least {}", least)
                              : fmt::format("a whole number from {} to {}", least, most));
}

std::optional<uint64_t> Fields::seed(std::string_view key) const {
  const Json* value = find(key);
  if (!value) return {};
  if (value->is_number_unsigned()) return value->get<uint64_t>();
  const std::optional<int64_t> number = whole_number(*value, -1, std::numeric_limits<int64_t>::max());
  if (!number) refuse_field(path(key), "a whole number from -1 to 2^64 - 1");
  return *number < 0 ? std::nullopt : std::optional(static_cast<uint64_t>(*number));
}

std::optional<double> Fields::number(std::string_view key, const Range& range) const {
  const Json* value = find(key);
  if (!value) return {};
  if (!value->is_number() || !range.has(value->get<double>())) refuse_field(path(key), range.words("a number"));
  return value->get<double>();
}

std::optional<std::string> Fields::text(std::string_view key) const {
  const Json* value = find(key);
  if (!value) return {};
  if (!value->is_string()) refuse_field(path(key), "a string");
  return value->get<std::string>();
}

std::optional<std::string> Fields::word(std::string_view key, std::initializer_list<std::string_view> words) const {
  const Json* value = find(key);
  if (!value) return {};
  if (value->is_string())
    for (const std::string_view word : words)
      if (value->get_ref<const std::string&>() == word) return std::string(word);
  refuse_field(path(key), fmt::format("one of {}", fmt::join(words, ", ")));
}

std::optional<Fields> Fields::object(std::string_view key) const {
  const Json* value = find(key);
  if (!value) return {};
  return of(*value, path(key));
}

const Json* Fields::list(std::string_view key) const {
  const Json* value = find(key);
  if (value && !value->is_array()) refuse_field(path(key), "a list");
  return value;
}

std::string_view Fields::spelling(std::initializer_list<std::string_view> keys) const {
  std::string_view found = *keys.begin();
  const Json* first = nullptr;
  for (const std::string_view key : keys) {
    const Json* value = find(key);
    if (!value) continue;
    if (first && *first != *value)
      throw ApiError(400, fmt::format("{} and {} are one field and have different values", path(found), path(key)),
                     path(key));
    found = key;
    first = value;
  }
  return found;
}

void Fields::ignore(std::initializer_list<std::string_view> keys) const {
  for (const std::string_view key : keys) read_.emplace(key);
}

void Fields::not_followed(std::string_view key) const {
  if (find(key)) read_.erase(read_.find(key));
}

std::vector<std::string> Fields::unread() const {
  std::vector<std::string> out;
  for (const auto& [key, value] : object_->items())
    if (!read_.contains(key)) out.push_back(path(key));
  return out;
}

std::optional<int64_t> whole_number(const Json& json, int64_t least, int64_t most) {
  if (json.is_number_unsigned()) {
    const auto x = json.get<uint64_t>();
    const bool fits = x <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    return fits && static_cast<int64_t>(x) >= least && static_cast<int64_t>(x) <= most
               ? std::optional(static_cast<int64_t>(x))
               : std::nullopt;
  }
  if (json.is_number_integer()) {
    const auto x = json.get<int64_t>();
    return x >= least && x <= most ? std::optional(x) : std::nullopt;
  }
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!json.is_number_float()) return {};
  const auto x = json.get<double>();
  if (!(std::abs(x) <= kExact) || std::trunc(x) != x) return {};
  const auto whole = static_cast<int64_t>(x);
  return whole >= least && whole <= most ? std::optional(whole) : std::nullopt;
}

}  // namespace skald::serve
