// obj.name and obj[index], as Jinja's sandbox lets templates see them.
#pragma once

#include <span>
#include <string_view>

#include "text/chat/jinja/run/function.h"
#include "text/chat/jinja/run/protocol.h"

namespace skald::jinja {

/// obj.name: an attribute, else an item; one that is not there, or not safe, is undefined.
Value get_attribute(Heap& heap, const Value& object, std::string_view name);
/// obj[index]: an item, else an attribute.
Value get_item(Heap& heap, const Value& object, const Value& index);

/// Finds the methods and attributes of Python's types; Missing where there is no such attribute.
Value find_attribute(Heap& heap, const Value& object, std::string_view name);

struct MethodEntry {
  std::string_view name;
  Method method;
};
// One table per type, in methods/.
std::span<const MethodEntry> text_methods();
std::span<const MethodEntry> container_methods(Kind kind);
std::span<const MethodEntry> number_methods(bool real);

}  // namespace skald::jinja
