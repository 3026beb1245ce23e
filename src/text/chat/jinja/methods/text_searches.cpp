// Methods of Python's str that look for something or ask for the kind of characters.
#include <algorithm>

#include "text/chat/jinja/methods/text_methods.h"
#include "text/chat/jinja/run/interpreter.h"
#include "text/chat/jinja/values/numbers.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

// The part [start, end) that a search looks at, as slices have it; `given`: characters, `begin`, `end`: bytes.
struct Window {
  size_t first, begin, end;
  bool outside;  // it begins beyond the text's end
};

Window window_of(const Text& text, const Value& start, const Value& end) {
  const auto length = static_cast<int64_t>(text.length());
  const auto inside = [length](const Value& value, int64_t otherwise) {
    if (value.is_missing() || value.is_none()) return otherwise;
    int64_t at = index_of(value);
    if (at < 0) at = at < -length ? 0 : at + length;
    return at;
  };
  const int64_t from = inside(start, 0), to = std::min(inside(end, length), length);
  if (from > length || from > to) return {0, 0, 0, true};
  return {static_cast<size_t>(from), text.offset(static_cast<size_t>(from)), text.offset(static_cast<size_t>(to)), false};
}

const Text& sought_text(const Value& value) {
  if (value.is_undefined()) value.as<Undefined>().fail();
  if (!value.is_text()) raise(ErrorKind::kType, "must be str, not {}", type_name(value));
  return value.as<Text>();
}

template <bool from_right>
int64_t position(Interpreter& in, const Value& self, Arguments& arguments, std::string_view method) {
  const auto a = bind(method, arguments, {"sub", "start", "end"}, 1);
  const Text& text = self.as<Text>();
  const std::string& sought = sought_text(a[0]).bytes();
  const Window w = window_of(text, a[1], a[2]);
  if (w.outside) return -1;
  in.budget().spend_bytes(text.bytes().size());
  const std::string_view part = std::string_view(text.bytes()).substr(w.begin, w.end - w.begin);
  const size_t at = from_right ? part.rfind(sought) : part.find(sought);
  if (at == std::string_view::npos) return -1;
  return static_cast<int64_t>(w.first + count_chars(part.substr(0, at)));
}

template <bool from_right>
Value find(Interpreter& in, const Value& self, Arguments& arguments) {
  return Value::of(position<from_right>(in, self, arguments, "find"));
}

template <bool from_right>
Value index(Interpreter& in, const Value& self, Arguments& arguments) {
  const int64_t out = position<from_right>(in, self, arguments, "index");
  if (out < 0) raise(ErrorKind::kValue, "substring not found");
  return Value::of(out);
}

Value count(Interpreter& in, const Value& self, Arguments& arguments) {
  const auto a = bind("count", arguments, {"sub", "start", "end"}, 1);
  const Text& text = self.as<Text>();
  const std::string& sought = sought_text(a[0]).bytes();
  const Window w = window_of(text, a[1], a[2]);
  if (w.outside) return Value::of(int64_t{0});
  in.budget().spend_bytes(text.bytes().size());
  const std::string_view part = std::string_view(text.bytes()).substr(w.begin, w.end - w.begin);
  if (sought.empty()) return Value::of_size(count_chars(part) + 1);
  int64_t out = 0;
  for (size_t at = part.find(sought); at != std::string_view::npos; at = part.find(sought, at + sought.size())) ++out;
  in.budget().spend(out);
  return Value::of(out);
}

template <bool at_end>
Value begins_or_ends(Interpreter& in, const Value& self, Arguments& arguments) {
  const std::string_view method = at_end ? "endswith" : "startswith";
  const auto a = bind(method, arguments, {"prefix", "start", "end"}, 1);
  const Window w = window_of(self.as<Text>(), a[1], a[2]);
  const std::string_view part = std::string_view(self.as<Text>().bytes()).substr(w.begin, w.end - w.begin);
  const auto fits = [&](const Value& value) {
    if (value.is_undefined()) value.as<Undefined>().fail();
    if (!value.is_text())
      raise(ErrorKind::kType, "{} first arg must be str or a tuple of str, not {}", method, type_name(value));
    const std::string& sought = value.as<Text>().bytes();
    in.budget().spend_bytes(sought.size());
    return !w.outside && (at_end ? part.ends_with(sought) : part.starts_with(sought));
  };
  if (!a[0].is(Kind::kTuple)) return Value::of(fits(a[0]));
  bool out = false;
  for (const Value& value : a[0].as<Sequence>().items) out = out || fits(value);
  return Value::of(out);
}

// Whether the text has characters, and all of them are so.
template <bool (*is)(char32_t)>
Value all_are(Interpreter& in, const Value& self, Arguments& arguments) {
  bind("is...", arguments, {}, 0);
  const std::string& text = self.as<Text>().bytes();
  in.budget().spend_bytes(text.size());
  for (size_t at = 0; at < text.size();)
    if (!is(next_char(text, at))) return Value::of(false);
  return Value::of(!text.empty());
}

// isprintable() and isascii() hold for empty texts too.
template <bool (*is)(char32_t)>
Value none_is_not(Interpreter& in, const Value& self, Arguments& arguments) {
  const std::string& text = self.as<Text>().bytes();
  return text.empty() ? Value::of(true) : all_are<is>(in, self, arguments);
}

bool is_ascii_char(char32_t c) { return c < 0x80; }

// Cased characters, and all of them of this case.
template <bool upper_case>
Value is_case(Interpreter& in, const Value& self, Arguments& arguments) {
  bind("is...", arguments, {}, 0);
  return Value::of(is_of_case(self.as<Text>().bytes(), upper_case, in.budget()));
}

Value is_title_text(Interpreter& in, const Value& self, Arguments& arguments) {
  bind("istitle", arguments, {}, 0);
  const std::string& text = self.as<Text>().bytes();
  in.budget().spend_bytes(text.size());
  bool cased = false, previous = false;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_char(text, at);
    const bool starts = is_upper(c) || is_title(c);
    if ((starts && previous) || (is_lower(c) && !previous)) return Value::of(false);
    previous = starts || is_lower(c);
    cased = cased || previous;
  }
  return Value::of(cased);
}

Value is_identifier_text(Interpreter& in, const Value& self, Arguments& arguments) {
  bind("isidentifier", arguments, {}, 0);
  const std::string& text = self.as<Text>().bytes();
  in.budget().spend_bytes(text.size());
  return Value::of(is_identifier(text));
}

constexpr MethodEntry kSearches[] = {
    {"find", find<false>},
    {"rfind", find<true>},
    {"index", index<false>},
    {"rindex", index<true>},
    {"count", count},
    {"startswith", begins_or_ends<false>},
    {"endswith", begins_or_ends<true>},
    {"isalnum", all_are<is_alnum>},
    {"isalpha", all_are<is_alpha>},
    {"isascii", none_is_not<is_ascii_char>},
    {"isdecimal", all_are<is_decimal>},
    {"isdigit", all_are<is_digit>},
    {"isnumeric", all_are<is_numeric>},
    {"isspace", all_are<is_space>},
    {"isprintable", none_is_not<is_printable>},
    {"islower", is_case<false>},
    {"isupper", is_case<true>},
    {"istitle", is_title_text},
    {"isidentifier", is_identifier_text},
};

}  // namespace

bool is_of_case(std::string_view text, bool upper_case, Budget& budget) {
  budget.spend_bytes(text.size());
  bool cased = false;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_char(text, at);
    if (is_title(c) || (upper_case ? is_lower(c) : is_upper(c))) return false;
    cased = cased || (upper_case ? is_upper(c) : is_lower(c));
  }
  return cased;
}

std::span<const MethodEntry> text_searches() { return kSearches; }

}  // namespace skald::jinja
