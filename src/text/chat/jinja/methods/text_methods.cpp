// The methods of Python's str: cutting, joining and replacing, which keep each byte's writer.
#include <algorithm>

#include "text/chat/jinja/methods/text_methods.h"
#include "text/chat/jinja/methods/text_parts.h"
#include "text/chat/jinja/run/access.h"
#include "text/chat/jinja/run/interpreter.h"
#include "text/chat/jinja/run/operators.h"
#include "text/chat/jinja/values/numbers.h"
#include "text/chat/jinja/values/show.h"
#include "text/chat/jinja/words/format.h"

namespace skald::jinja {
namespace {

const Text& self_of(const Value& self) { return self.as<Text>(); }

// An argument that must be a text.
const Text& text_of(std::string_view method, const Value& value) {
  if (value.is_undefined()) value.as<Undefined>().fail();
  if (!value.is_text()) raise(ErrorKind::kType, "{} arg must be str, not {}", method, type_name(value));
  return value.as<Text>();
}

// An argument that may be None or left out.
const std::string* chars_of(std::string_view method, const Value& value) {
  return value.is_missing() || value.is_none() ? nullptr : &text_of(method, value).bytes();
}

template <bool left, bool right>
Value strip(Interpreter& in, const Value& self, Arguments& arguments) {
  const auto a = bind("strip", arguments, {"chars"}, 0);
  const std::string& text = self_of(self).bytes();
  const std::string* chars = chars_of("strip", a[0]);
  in.budget().spend_bytes(text.size() * (chars ? 1 + chars->size() / 16 : 1));
  return part_of(in.heap(), self_of(self), stripped(text, chars, left, right));
}

template <bool from_right>
Value split_text(Interpreter& in, const Value& self, Arguments& arguments) {
  const auto a = bind("split", arguments, {"sep", "maxsplit"}, 0);
  const int64_t most = a[1].is_missing() ? -1 : index_of(a[1]);
  const Text& text = self_of(self);
  return parts_of(in.heap(), text, split(text.bytes(), chars_of("split", a[0]), most, from_right, in.budget()));
}

Value split_text_lines(Interpreter& in, const Value& self, Arguments& arguments) {
  const auto a = bind("splitlines", arguments, {"keepends"}, 0);
  const Text& text = self_of(self);
  return parts_of(in.heap(), text, split_lines(text.bytes(), !a[0].is_missing() && truth(a[0]), in.budget()));
}

template <bool from_right>
Value partition(Interpreter& in, const Value& self, Arguments& arguments) {
  const auto a = bind("partition", arguments, {"sep"}, 1);
  const std::string& separator = text_of("partition", a[0]).bytes();
  if (separator.empty()) raise(ErrorKind::kValue, "empty separator");
  const Text& text = self_of(self);
  in.budget().spend_bytes(text.bytes().size());
  const size_t at = from_right ? text.bytes().rfind(separator) : text.bytes().find(separator);
  const size_t size = text.bytes().size();
  const auto part = [&](size_t begin, size_t end) { return part_of(in.heap(), text, {begin, end}); };
  if (at != std::string::npos)
    return make_tuple(in.heap(), {part(0, at), part(at, at + separator.size()), part(at + separator.size(), size)});
  if (from_right) return make_tuple(in.heap(), {part(0, 0), part(0, 0), part(0, size)});
  return make_tuple(in.heap(), {part(0, size), part(0, 0), part(0, 0)});
}

Value join(Interpreter& in, const Value& self, Arguments& arguments) {
  const auto a = bind("join", arguments, {"iterable"}, 1);
  if (!find_iterator(in.heap(), a[0])) raise(ErrorKind::kType, "can only join an iterable");
  return joined(in.heap(), self_of(self), items_of(in.heap(), a[0]), false);
}

Value replace(Interpreter& in, const Value& self, Arguments& arguments) {
  const auto a = bind("replace", arguments, {"old", "new", "count"}, 2);
  Value to = a[1];
  const Text& old = text_of("replace() argument 1", a[0]);
  text_of("replace() argument 2", to);
  if (self_of(self).is_markup()) to = escaped(in.heap(), to);
  return replaced(in.heap(), self_of(self), old, to.as<Text>(), a[2].is_missing() ? -1 : index_of(a[2]));
}

Value remove_prefix(Interpreter& in, const Value& self, Arguments& arguments) {
  const auto a = bind("removeprefix", arguments, {"prefix"}, 1);
  const std::string &text = self_of(self).bytes(), &prefix = text_of("removeprefix()", a[0]).bytes();
  return part_of(in.heap(), self_of(self), {text.starts_with(prefix) ? prefix.size() : 0, text.size()});
}

Value remove_suffix(Interpreter& in, const Value& self, Arguments& arguments) {
  const auto a = bind("removesuffix", arguments, {"suffix"}, 1);
  const std::string &text = self_of(self).bytes(), &suffix = text_of("removesuffix()", a[0]).bytes();
  return part_of(in.heap(), self_of(self), {0, text.size() - (text.ends_with(suffix) ? suffix.size() : 0)});
}

Value format(Interpreter& in, const Value& self, Arguments& arguments) {
  return brace_format(in.heap(), self, arguments, {});
}

Value format_map(Interpreter& in, const Value& self, Arguments& arguments) {
  const auto a = bind("format_map", arguments, {"mapping"}, 1);
  return brace_format(in.heap(), self, {}, a[0]);
}

Value encode(Interpreter&, const Value&, Arguments&) { raise(ErrorKind::kUnsupported, "str.encode(): there are no bytes"); }
Value translate(Interpreter&, const Value&, Arguments&) { raise(ErrorKind::kUnsupported, "str.translate()"); }

constexpr MethodEntry kCutting[] = {
    {"strip", strip<true, true>},
    {"lstrip", strip<true, false>},
    {"rstrip", strip<false, true>},
    {"split", split_text<false>},
    {"rsplit", split_text<true>},
    {"splitlines", split_text_lines},
    {"partition", partition<false>},
    {"rpartition", partition<true>},
    {"join", join},
    {"replace", replace},
    {"removeprefix", remove_prefix},
    {"removesuffix", remove_suffix},
    {"format", format},
    {"format_map", format_map},
    {"encode", encode},
    {"translate", translate},
    {"maketrans", translate},
};

}  // namespace

std::span<const MethodEntry> text_methods() {
  static const std::vector<MethodEntry> all = [] {
    std::vector<MethodEntry> out(std::begin(kCutting), std::end(kCutting));
    for (const std::span<const MethodEntry> more : {text_searches(), text_forms()})
      out.insert(out.end(), more.begin(), more.end());
    return out;
  }();
  return all;
}

}  // namespace skald::jinja
