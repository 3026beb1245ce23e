// Fields: the members of a JSON object, checked as they are read. What is wrong is an ApiError (400) that names the field by
// its path.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/range.h"
#include "serve/json.h"

namespace skald::serve {

class Fields {
 public:
  /// `object`, which must outlive it, is a JSON object. `path`: of the object; empty: the body.
  explicit Fields(const Json& object, std::string path = {});
  /// Of any JSON; throws where it is no object.
  static Fields of(const Json& json, const std::string& path);

  /// Null where the field is absent or null.
  const Json* find(std::string_view key) const;
  /// The field's path: "stream_options.include_usage".
  std::string path(std::string_view key) const;

  std::optional<bool> flag(std::string_view key) const;
  /// 3.0 counts as 3.
  std::optional<int64_t> integer(std::string_view key, int64_t least, int64_t most) const;
  /// -1 is nothing.
  std::optional<uint64_t> seed(std::string_view key) const;
  std::optional<double> number(std::string_view key, const Range& range) const;
  std::optional<std::string> text(std::string_view key) const;
  /// One of `words`.
  std::optional<std::string> word(std::string_view key, std::initializer_list<std::string_view> words) const;
  /// An object within this one.
  std::optional<Fields> object(std::string_view key) const;
  /// A list; null where it is absent.
  const Json* list(std::string_view key) const;

  /// Of several spellings of one field the one that is there; those whose values differ are refused.
  std::string_view spelling(std::initializer_list<std::string_view> keys) const;

  /// Says that a field was not asked for on purpose.
  void ignore(std::initializer_list<std::string_view> keys) const;
  /// Says that a field that was read has no effect: unread() tells it too.
  void not_followed(std::string_view key) const;
  /// Lists the fields that were not read.
  std::vector<std::string> unread() const;

 private:
  const Json* object_;
  std::string path_;
  mutable std::set<std::string, std::less<>> read_;
};

/// A whole number within the limits; nothing for other JSON.
std::optional<int64_t> whole_number(const Json& json, int64_t least, int64_t most);

}  // namespace skald::serve
