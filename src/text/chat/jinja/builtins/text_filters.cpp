// Filters that change texts: upper, trim, replace, format and their kin.
#include "text/chat/jinja/builtins/registry.h"
#include "text/chat/jinja/methods/text_parts.h"
#include "text/chat/jinja/run/interpreter.h"
#include "text/chat/jinja/run/operators.h"
#include "text/chat/jinja/values/numbers.h"
#include "text/chat/jinja/values/show.h"
#include "text/chat/jinja/words/format.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

template <std::string (*change)(std::string_view)>
Value changed(Interpreter& in, const Value& operand, Arguments& arguments) {
  bind("filter", arguments, {}, 0);
  const Value text = to_text(in.heap(), operand);
  const Text& t = text.as<Text>();
  in.budget().spend_bytes(t.bytes().size() * 4);
  return make_text(in.heap(), MarkedText(change(t.bytes()), t.marked().all_trusted()), t.is_markup());
}

bool begins_word(char32_t c) { return c == '-' || c == '(' || c == '{' || c == '[' || c == '<' || is_space(c); }

// The first letter after blanks, hyphens and brackets in upper case, the others in lower case.
std::string titled(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    size_t end = at;
    const bool between = begins_word(next_char(text, at));
    for (end = at; at < text.size() && begins_word(next_char(text, at)) == between; end = at) {
    }
    at = end;
    const std::string_view run = text.substr(begin, end - begin);
    size_t first = 0;
    next_char(run, first);
    out += upper(run.substr(0, first)) + lower(run.substr(first));
  }
  return out;
}

Value trim(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("trim", arguments, {"chars"}, 0);
  const Value text = to_text(in.heap(), operand);
  const Text& t = text.as<Text>();
  const std::string* chars = nullptr;
  if (!a[0].is_missing() && !a[0].is_none()) {
    if (!a[0].is_text()) raise(ErrorKind::kType, "strip arg must be None or str, not {}", type_name(a[0]));
    chars = &a[0].as<Text>().bytes();
  }
  in.budget().spend_bytes(t.bytes().size() * (chars ? 1 + chars->size() / 16 : 1));
  return part_of(in.heap(), t, stripped(t.bytes(), chars, true, true));
}

Value replace(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("replace", arguments, {"old", "new", "count"}, 2);
  Heap& heap = in.heap();
  Value text = to_text(heap, operand);
  const Value from = to_text(heap, a[0]);
  Value to = to_text(heap, a[1]);
  const int64_t most = a[2].is_missing() || a[2].is_none() ? -1 : index_of(a[2]);
  const auto markup = [](const Value& v) { return v.as<Text>().is_markup(); };
  if (!in.escapes())
    return make_text(heap, replaced(heap, text.as<Text>(), from.as<Text>(), to.as<Text>(), most).as<Text>().marked());
  if (markup(from) || (markup(to) && !markup(text))) text = escaped(heap, text);
  if (markup(text)) to = escaped(heap, to);
  return replaced(heap, text.as<Text>(), from.as<Text>(), to.as<Text>(), most);
}

Value string(Interpreter& in, const Value& operand, Arguments& arguments) {
  bind("string", arguments, {}, 0);
  return to_text(in.heap(), operand);
}

Value format(Interpreter& in, const Value& operand, Arguments& arguments) {
  if (!arguments.positional.empty() && !arguments.named.empty())
    raise(ErrorKind::kFilterArgument, "can't handle positional and keyword arguments at the same time");
  Heap& heap = in.heap();
  if (arguments.named.empty())
    return percent_format(heap, to_text(heap, operand), make_tuple(heap, std::move(arguments.positional)));
  const Ref<Dict> named = heap.make<Dict>();
  for (auto& [name, value] : arguments.named) named->set(make_text(heap, name, true), std::move(value));
  return percent_format(heap, to_text(heap, operand), named);
}

Value word_count(Interpreter& in, const Value& operand, Arguments& arguments) {
  bind("wordcount", arguments, {}, 0);
  const Value text = to_text(in.heap(), operand);
  const std::string& bytes = text.as<Text>().bytes();
  in.budget().spend_bytes(bytes.size() * 2);
  int64_t out = 0;
  bool before = false;
  for (size_t at = 0; at < bytes.size();) {
    const char32_t c = next_char(bytes, at);
    const bool word = c == '_' || is_alnum(c);
    out += word && !before;
    before = word;
  }
  return Value::of(out);
}

constexpr Builtin kFilters[] = {
    {"upper", changed<upper>},
    {"lower", changed<lower>},
    {"capitalize", changed<capitalize>},
    {"title", changed<titled>},
    {"trim", trim},
    {"replace", replace},
    {"string", string},
    {"format", format},
    {"wordcount", word_count},
};

}  // namespace

std::span<const Builtin> text_filters() { return kFilters; }

}  // namespace skald::jinja
