// Python's questions to all objects: their type's name, truth, length, and items one after the other.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/chat/jinja/values/objects.h"

namespace skald::jinja {

/// Returns Python's name of the type: "int".
std::string type_name(const Value& value);

bool truth(const Value& value);

/// Returns nullopt for a value without len().
std::optional<int64_t> find_length(const Value& value);
/// Throws Failure (kType) for a value without len().
int64_t length_of(const Value& value);

/// Gives items one after the other, once.
class Iterator : public Object {
 public:
  /// Returns false after the last item. Throws the exceptions of making the item.
  virtual bool next(Value& out) = 0;
  /// Returns Python's name for it.
  virtual std::string_view name() const { return "generator"; }

 protected:
  Iterator() : Object(Kind::kIterator) {}
};

/// Returns nullptr for a value that cannot be iterated over.
Ref<Iterator> find_iterator(Heap& heap, const Value& value);
/// Throws Failure (kType) for a value that cannot be iterated over.
Ref<Iterator> iterate(Heap& heap, const Value& value);
/// Returns all items, as Python's list() gives them; counts a step for each, and their memory.
std::vector<Value> items_of(Heap& heap, const Value& value);
/// Finds the items from the last to the first; nullptr for a value without such an order (reversed()).
Ref<Iterator> find_reverse_iterator(Heap& heap, const Value& value);

bool iterated_contains(const Value& container, const Value& item, Budget& budget);

// Shorter words for making values.
Value make_text(Heap& heap, MarkedText text, bool markup = false);
inline Value make_text(Heap& heap, std::string text, bool trusted) {
  return make_text(heap, MarkedText(std::move(text), trusted));
}
Value make_integer(Heap& heap, Integer value);
Value make_list(Heap& heap, std::vector<Value> items);
Value make_tuple(Heap& heap, std::vector<Value> items);
Value make_undefined(Heap& heap, std::string message, ErrorKind kind = ErrorKind::kUndefined);
/// Returns the items [begin, end) of a text, by characters.
Value text_slice(Heap& heap, const Text& text, size_t begin, size_t end);

}  // namespace skald::jinja
