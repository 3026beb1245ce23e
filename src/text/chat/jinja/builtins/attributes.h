// Attributes of items, as filters name them: "function.name", or an index.
#pragma once

#include <vector>

#include "text/chat/jinja/run/protocol.h"

namespace skald::jinja {

/// Finds the value of an attribute's path in an item (jinja2.filters.make_attrgetter).
class AttributePath {
 public:
  /// `attribute`: a text, an integer, or Missing or None for the item itself.
  AttributePath(Heap& heap, const Value& attribute);
  /// `otherwise` stands for an undefined value, unless it is Missing.
  Value of(const Value& item, const Value& otherwise = {}) const;

 private:
  Heap& heap_;
  std::vector<Value> parts_;
};

/// Lower case where it is a text.
Value without_case(Heap& heap, const Value& value);

}  // namespace skald::jinja
