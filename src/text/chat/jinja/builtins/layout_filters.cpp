// Filters that lay texts out: center, indent, truncate, wordwrap.
#include <algorithm>

#include "text/chat/jinja/builtins/registry.h"
#include "text/chat/jinja/builtins/word_wrap.h"
#include "text/chat/jinja/methods/text_parts.h"
#include "text/chat/jinja/run/access.h"
#include "text/chat/jinja/run/interpreter.h"
#include "text/chat/jinja/run/operators.h"
#include "text/chat/jinja/values/numbers.h"
#include "text/chat/jinja/values/show.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

bool flag(const Value& value, bool otherwise = false) { return value.is_missing() ? otherwise : truth(value); }

const Text& text_argument(const Value& value) {
  if (value.is_undefined()) value.as<Undefined>().fail();
  if (!value.is_text()) raise(ErrorKind::kType, "a text is needed here, not {}", type_name(value));
  return value.as<Text>();
}

Value call_method(Interpreter& in, const Value& text, std::string_view name, std::vector<Value> positional) {
  const Value method = find_attribute(in.heap(), text, name);
  Arguments arguments{std::move(positional), {}};
  return in.call(method, arguments);
}

Value center(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("center", arguments, {"width"}, 0);
  return call_method(in, to_text(in.heap(), operand), "center", {a[0].is_missing() ? Value::of(int64_t{80}) : a[0]});
}

Value indent(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("indent", arguments, {"width", "first", "blank"}, 0);
  Heap& heap = in.heap();
  if (operand.is_undefined()) operand.as<Undefined>().fail();
  const Text& text = text_argument(operand);
  Value indention = a[0];
  if (!a[0].is_text()) indention = repeated(heap, make_text(heap, " ", true), a[0].is_missing() ? 4 : index_of(a[0]));
  if (text.is_markup()) indention = escaped(heap, indention);
  const std::string& mark = indention.as<Text>().bytes();
  const std::string lines_of = text.bytes() + "\n";
  std::string out = flag(a[1]) ? mark : "";
  bool first = true;
  for (const auto& [begin, end] : split_lines(lines_of, false, in.budget())) {
    if (!first) {
      out += '\n';
      if (flag(a[2]) || end > begin) out += mark;
    }
    first = false;
    out.append(lines_of, begin, end - begin);
    in.budget().check_text(out.size());
  }
  return make_text(heap, MarkedText(std::move(out), text.marked().all_trusted() && is_trusted(indention)), text.is_markup());
}

Value truncate(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("truncate", arguments, {"length", "killwords", "end", "leeway"}, 0);
  Heap& heap = in.heap();
  const int64_t length = a[0].is_missing() ? 255 : index_of(a[0]);
  const Value end = a[2].is_missing() ? make_text(heap, "...", true) : a[2];
  const int64_t leeway = a[3].is_missing() || a[3].is_none() ? 5 : index_of(a[3]);
  const int64_t end_length = length_of(end);
  if (length < end_length) raise(ErrorKind::kAssertion, "expected length >= {}, got {}", end_length, length);
  if (leeway < 0) raise(ErrorKind::kAssertion, "expected leeway >= 0, got {}", leeway);
  if (length_of(operand) - leeway <= length) return operand;
  const Text& text = text_argument(operand);
  size_t stop = text.offset(static_cast<size_t>(length - end_length));
  if (!flag(a[1])) {
    const size_t blank = text.bytes().substr(0, stop).rfind(' ');
    if (blank != std::string::npos) stop = blank;
  }
  const bool trusted = text.marked().all_trusted() && is_trusted(end);
  return make_text(heap, MarkedText(text.bytes().substr(0, stop) + text_argument(end).bytes(), trusted), text.is_markup());
}

Value word_wrap(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("wordwrap", arguments, {"width", "break_long_words", "wrapstring", "break_on_hyphens"}, 0);
  const int64_t width = a[0].is_missing() ? 79 : index_of(a[0]);
  const Text& text = text_argument(operand);
  const Value between = a[2].is_missing() || a[2].is_none() ? make_text(in.heap(), "\n", true) : a[2];
  const WrapOptions options{width, flag(a[1], true), flag(a[3], true)};
  std::string out;
  bool first = true;
  for (const auto& [begin, end] : split_lines(text.bytes(), false, in.budget())) {
    std::vector<std::string> lines =
        wrapped(std::string_view(text.bytes()).substr(begin, end - begin), options, in.budget());
    if (lines.empty()) lines.emplace_back();
    for (const std::string& line : lines) {
      if (!first) out += text_argument(between).bytes();
      first = false;
      out += line;
      in.budget().check_text(out.size());
    }
  }
  return make_text(in.heap(), std::move(out), text.marked().all_trusted() && is_trusted(between));
}

constexpr Builtin kFilters[] = {{"center", center}, {"indent", indent}, {"truncate", truncate}, {"wordwrap", word_wrap}};

}  // namespace

std::span<const Builtin> layout_filters() { return kFilters; }

}  // namespace skald::jinja
