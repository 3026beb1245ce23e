#include "text/chat/jinja/run/access.h"

#include <algorithm>
#include <array>

#include "text/chat/jinja/run/loop_object.h"
#include "text/chat/jinja/values/compare.h"
#include "text/chat/jinja/values/numbers.h"
#include "text/chat/jinja/values/show.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

// jinja2.runtime.object_type_repr
std::string described_type(const Value& object) {
  if (object.is_none()) return "None";
  if (object.is(Kind::kNamespace)) return "transformers.utils.chat_template_utils.TemplateNamespace object";
  if (object.is(Kind::kLoop)) return "jinja2.runtime.LoopContext object";
  return type_name(object) + " object";
}

Value no_such(Heap& heap, const Value& object, const Value& name) {
  const std::string shown = repr(name, heap.budget()).text;
  constexpr size_t kLongest = 200;  // of a name in a message
  const std::string_view word = std::string_view(shown).substr(0, kLongest);
  return make_undefined(heap, name.is_text() ? fmt::format("'{}' has no attribute {}", described_type(object), word)
                                             : fmt::format("{} has no element {}", described_type(object), word));
}

Value unsafe(Heap& heap, const Value& object, std::string_view name) {
  return make_undefined(heap,
                        fmt::format("access to attribute {} of '{}' object is unsafe.", in_quotes(name), type_name(object)),
                        ErrorKind::kSecurity);
}

bool is_dunder(std::string_view name) { return name.size() > 4 && name.starts_with("__") && name.ends_with("__"); }

bool changes(const Value& object, std::string_view name) {
  constexpr std::array<std::string_view, 8> kList = {"append", "clear", "pop",    "reverse",
                                                     "insert", "sort",  "extend", "remove"};
  constexpr std::array<std::string_view, 5> kDict = {"clear", "pop", "popitem", "setdefault", "update"};
  if (object.is(Kind::kList)) return std::ranges::find(kList, name) != kList.end();
  if (object.is(Kind::kDict)) return std::ranges::find(kDict, name) != kDict.end();
  return false;
}

Value method_of(Heap& heap, const Value& object, std::span<const MethodEntry> table, std::string_view name) {
  const auto it = std::ranges::find(table, name, &MethodEntry::name);
  return it == table.end() ? Value() : Value(heap.make<BoundMethod>(object, it->name, it->method));
}

Value group_part(const Value& object, std::string_view name) {
  const Sequence& tuple = object.as<Sequence>();
  if (tuple.is_group && name == "grouper") return tuple.items[0];
  if (tuple.is_group && name == "list") return tuple.items[1];
  return {};
}

Value range_part(const Range& range, std::string_view name) {
  if (name == "start") return Value::of(range.start);
  if (name == "stop") return Value::of(range.stop);
  if (name == "step") return Value::of(range.step);
  return {};
}

Value number_part(Heap& heap, const Value& number, std::string_view name) {
  const bool real = number.is(Kind::kFloat);
  if (name == "real" || (name == "numerator" && !real)) return number.is(Kind::kBool) ? Value::of(number.integer()) : number;
  if (name == "imag") return real ? Value::of(0.0) : Value::of(int64_t{0});
  if (name == "denominator" && !real) return Value::of(int64_t{1});
  return method_of(heap, number, number_methods(real), name);
}

// Of an item that is there; Missing for an index that is not, or has the wrong type.
Value find_item(Heap& heap, const Value& object, const Value& index) {
  if (object.is(Kind::kDict)) {
    if (index.is(Kind::kList) || index.is(Kind::kDict) || index.is(Kind::kView)) return {};  // cannot be hashed
    const Dict& dict = object.as<Dict>();
    const Value* item = dict.find(index);
    if (item) dict.was_read = true;
    return item ? *item : Value();
  }
  if (!index.is_integer()) return {};
  const int64_t length = object.is_sequence() || object.is_text() || object.is(Kind::kRange) ? length_of(object) : 0;
  int64_t at = index_of(index);
  if (at < 0) at = at < -length ? -1 : at + length;
  if (at < 0 || at >= length) return {};
  if (object.is_text()) return text_slice(heap, object.as<Text>(), static_cast<size_t>(at), static_cast<size_t>(at) + 1);
  if (object.is(Kind::kRange)) return Value::of(object.as<Range>().at(at));
  return object.as<Sequence>().items[static_cast<size_t>(at)];
}

// An attribute, safe or not; Missing where there is none.
Value guarded_attribute(Heap& heap, const Value& object, std::string_view name) {
  if (is_dunder(name) && !object.is(Kind::kNamespace)) return unsafe(heap, object, name);
  if (object.is(Kind::kNamespace) && name == "__class__") return unsafe(heap, object, name);
  if (changes(object, name)) return unsafe(heap, object, name);
  Value out = find_attribute(heap, object, name);
  if (!out.is_missing() && name.starts_with("_")) return unsafe(heap, object, name);
  return out;
}

}  // namespace

Value find_attribute(Heap& heap, const Value& object, std::string_view name) {
  switch (object.kind()) {
    case Kind::kText:
      return method_of(heap, object, text_methods(), name);
    case Kind::kTuple:
      if (Value part = group_part(object, name); !part.is_missing()) return part;
      return method_of(heap, object, container_methods(object.kind()), name);
    case Kind::kRange:
      if (Value part = range_part(object.as<Range>(), name); !part.is_missing()) return part;
      return method_of(heap, object, container_methods(object.kind()), name);
    case Kind::kList:
    case Kind::kDict:
    case Kind::kView:
      return method_of(heap, object, container_methods(object.kind()), name);
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kBigInt:
    case Kind::kFloat:
      return number_part(heap, object, name);
    case Kind::kNamespace: {
      const Value* item = object.as<Namespace>().attributes->find(name);
      return item ? *item : Value();
    }
    case Kind::kLoop:
      return object.as<LoopObject>().attribute(name);
    case Kind::kFunction:
      return object.as<Function>().attribute(heap, name);
    default:
      return {};
  }
}

Value get_attribute(Heap& heap, const Value& object, std::string_view name) {
  if (object.is_undefined()) object.as<Undefined>().fail();
  Value out = guarded_attribute(heap, object, name);
  if (!out.is_missing()) return out;
  if (object.is(Kind::kDict)) {
    const Dict& dict = object.as<Dict>();
    if (const Value* item = dict.find(name)) {
      dict.was_read = true;
      return *item;
    }
  }
  return no_such(heap, object, make_text(heap, std::string(name), true));
}

Value get_item(Heap& heap, const Value& object, const Value& index) {
  if (object.is_undefined()) object.as<Undefined>().fail();
  Value out = find_item(heap, object, index);
  if (!out.is_missing()) return out;
  if (index.is_text()) {
    out = guarded_attribute(heap, object, index.as<Text>().bytes());
    if (!out.is_missing()) return out;
  }
  return no_such(heap, object, index);
}

}  // namespace skald::jinja
