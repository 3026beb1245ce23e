#include "text/chat/jinja/builtins/attributes.h"

#include <algorithm>

#include "text/chat/jinja/run/access.h"
#include "text/chat/jinja/values/numbers.h"
#include "text/chat/jinja/values/show.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {

AttributePath::AttributePath(Heap& heap, const Value& attribute) : heap_(heap) {
  if (attribute.is_missing() || attribute.is_none()) return;
  if (!attribute.is_text()) {
    parts_.push_back(attribute);
    return;
  }
  const std::string& path = attribute.as<Text>().bytes();
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('.', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    const bool number = !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
    Value value = number ? parse_integer(heap, part, 10) : Value();
    parts_.push_back(value.is_missing() ? make_text(heap, part, true) : value);
    heap.budget().step();
    begin = end + 1;
  }
}

Value AttributePath::of(const Value& item, const Value& otherwise) const {
  Value out = item;
  for (const Value& part : parts_) {
    heap_.budget().step();
    out = get_item(heap_, out, part);
    if (!otherwise.is_missing() && !otherwise.is_none() && out.is_undefined()) out = otherwise;
  }
  return out;
}

Value without_case(Heap& heap, const Value& value) {
  if (!value.is_text()) return value;
  return make_text(heap, lower(value.as<Text>().bytes()), is_trusted(value));
}

}  // namespace skald::jinja
