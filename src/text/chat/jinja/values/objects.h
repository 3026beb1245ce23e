// The objects that values refer to: texts, containers, and "undefined".
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/chat/jinja/run/failure.h"
#include "text/chat/jinja/values/integer.h"
#include "text/chat/jinja/values/value.h"
#include "text/marked_text.h"

namespace skald::jinja {

/// Python's str: UTF-8 (surrogates that came from escapes as three bytes each), indexed by characters.
class Text final : public Object {
 public:
  Text(MarkedText text, bool markup);
  const MarkedText& marked() const { return text_; }
  const std::string& bytes() const { return text_.bytes(); }
  /// Of characters.
  size_t length() const { return length_; }
  bool is_ascii() const { return length_ == text_.size(); }
  /// Text that counts as escaped already (markupsafe.Markup).
  bool is_markup() const { return markup_; }
  /// Returns the byte where character `index` begins (at most length()).
  size_t offset(size_t index) const;

 private:
  MarkedText text_;
  size_t length_;
  bool markup_;
};

class BigInt final : public Object {
 public:
  explicit BigInt(Integer value) : Object(Kind::kBigInt), value(std::move(value)) {}
  const Integer value;
};

/// The value of a name, key or index that is not there: empty in texts, an error in most other places.
class Undefined final : public Object {
 public:
  Undefined(std::string message, ErrorKind kind) : Object(Kind::kUndefined), message(std::move(message)), error(kind) {}
  [[noreturn]] void fail() const { throw Failure(error, message); }
  const std::string message;
  const ErrorKind error;
};

/// A list or a tuple. Nothing changes it once it is shared.
class Sequence final : public Object {
 public:
  Sequence(Kind kind, std::vector<Value> items, bool group) : Object(kind), items(std::move(items)), is_group(group) {}
  const std::vector<Value> items;
  const bool is_group;  // a tuple with the names "grouper" and "list", as groupby gives them
};

/// Keeps the order in which keys were put in. Nothing changes it once it is shared, but `was_read`.
class Dict final : public Object {
 public:
  using Entries = std::vector<std::pair<Value, Value>>;
  Dict() : Object(Kind::kDict) {}
  const Entries& entries() const { return entries_; }
  size_t size() const { return entries_.size(); }
  /// Returns nullptr where the key is not there. Throws Failure (kType) for one that cannot be hashed.
  const Value* find(const Value& key) const;
  const Value* find(std::string_view key) const;
  /// Puts it in, or replaces the value of an equal key.
  void set(Value key, Value value);
  void remove(std::string_view key);

  mutable bool was_read = false;  // by key, with one that is there

 private:
  static constexpr size_t kScan = 8;  // as many entries are searched one by one
  size_t place_of(const Value& key) const;

  Entries entries_;
  std::unordered_multimap<size_t, size_t> places_;  // by hash; empty for few entries
};

class Range final : public Object {
 public:
  Range(int64_t start, int64_t stop, int64_t step);
  int64_t at(int64_t index) const { return start + index * step; }
  const int64_t start, stop, step;
  int64_t length = 0;
};

/// dict.keys(), .values() and .items().
class View final : public Object {
 public:
  enum class Part : uint8_t { kKeys, kValues, kItems };
  View(Ref<Dict> dict, Part part) : Object(Kind::kView), dict(std::move(dict)), part(part) {}
  const Ref<Dict> dict;
  const Part part;
};

/// namespace(): the one thing that `set` changes.
class Namespace final : public Object {
 public:
  Namespace() : Object(Kind::kNamespace) {}
  void clear() override { attributes = Ref<Dict>(); }
  Ref<Dict> attributes;  // of its own
};

}  // namespace skald::jinja
