// JsonDocument: a parsed JSON text whose values know where they stand, with numbers as they are spelled.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skald {

using JsonId = uint32_t;  // a value's place in its document

class JsonDocument {
 public:
  enum class Kind : uint8_t { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject };
  struct Member {
    std::string key;  // empty for items of arrays
    JsonId value;
  };
  struct Value {
    Kind kind = Kind::kNull;
    std::string text;             // of a string: what it means; of a number: how it is spelled
    std::vector<Member> members;  // of objects and arrays, in the text's order
    JsonId parent = 0;
    uint32_t place = 0;  // among the parent's members
  };

  /// Throws kBadInput for what is no JSON, has a key twice in one object, nests too deeply or is too large.
  explicit JsonDocument(std::string_view text);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  static constexpr JsonId kRoot = 0;
  const Value& at(JsonId id) const { return values_[id]; }
  size_t size() const { return values_.size(); }
  bool is(JsonId id, Kind kind) const { return values_[id].kind == kind; }

  /// The member of an object, or nullptr.
  const JsonId* find(JsonId object, std::string_view key) const;
  /// A JSON pointer to the value (RFC 6901): "/properties/a", "" for the root.
  std::string pointer(JsonId id) const;
  /// Where the pointer leads from `from`, or nullptr.
  const JsonId* resolve(JsonId from, std::string_view pointer) const;

 private:
  class Builder;
  static constexpr JsonId kRootPlace[1] = {kRoot};
  std::vector<Value> values_;
  std::unordered_map<JsonId, std::unordered_map<std::string_view, const JsonId*>> by_key_;  // members of large objects
};

/// How a string is written as JSON with as few escapes as possible, quotes included: what errors show.
std::string json_quoted(std::string_view text);

}  // namespace skald
