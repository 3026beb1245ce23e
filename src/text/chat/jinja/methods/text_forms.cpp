// Methods of Python's str that change letters or fill up: their results are trusted as a whole or not.
#include "text/chat/jinja/methods/text_methods.h"
#include "text/chat/jinja/run/interpreter.h"
#include "text/chat/jinja/values/numbers.h"
#include "text/chat/jinja/values/show.h"
#include "text/chat/jinja/words/format.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

Value made_from(Interpreter& in, const Text& from, std::string text, bool trusted = true) {
  return make_text(in.heap(), MarkedText(std::move(text), trusted && from.marked().all_trusted()), from.is_markup());
}

template <std::string (*change)(std::string_view)>
Value changed(Interpreter& in, const Value& self, Arguments& arguments) {
  bind("str method", arguments, {}, 0);
  const Text& text = self.as<Text>();
  in.budget().spend_bytes(text.bytes().size() * 4);
  return made_from(in, text, change(text.bytes()));
}

// Python puts the odd one of the fill characters to the left where the width is odd.
std::string centered(Budget& budget, std::string_view text, int64_t width, std::string_view fill) {
  const auto length = static_cast<int64_t>(count_chars(text));
  if (width <= length) return std::string(text);
  const int64_t missing = width - length;
  const int64_t left = missing / 2 + (missing & width & 1);
  return padded(budget, padded(budget, text, length + left, '>', fill), width, '<', fill);
}

template <char align>
Value aligned(Interpreter& in, const Value& self, Arguments& arguments) {
  const auto a = bind("center", arguments, {"width", "fillchar"}, 1);
  const Text& text = self.as<Text>();
  std::string_view fill = " ";
  if (!a[1].is_missing()) {
    if (!a[1].is_text() || a[1].as<Text>().length() != 1)
      raise(ErrorKind::kType, "The fill character must be exactly one character long");
    fill = a[1].as<Text>().bytes();
  }
  const int64_t width = index_of(a[0]);
  std::string out = align == '^' ? centered(in.budget(), text.bytes(), width, fill)
                                 : padded(in.budget(), text.bytes(), width, align, fill);
  return made_from(in, text, std::move(out), a[1].is_missing() || is_trusted(a[1]));
}

Value zfill(Interpreter& in, const Value& self, Arguments& arguments) {
  const auto a = bind("zfill", arguments, {"width"}, 1);
  const Text& text = self.as<Text>();
  const bool sign = text.bytes().starts_with('-') || text.bytes().starts_with('+');
  return made_from(in, text, padded(in.budget(), text.bytes(), index_of(a[0]), '=', "0", sign ? 1 : 0));
}

Value expand_tabs(Interpreter& in, const Value& self, Arguments& arguments) {
  const auto a = bind("expandtabs", arguments, {"tabsize"}, 0);
  const int64_t size = a[0].is_missing() ? 8 : index_of(a[0]);
  const Text& text = self.as<Text>();
  std::string out;
  int64_t column = 0;
  for (size_t at = 0; at < text.bytes().size();) {
    const size_t begin = at;
    const char32_t c = next_char(text.bytes(), at);
    if (c == '\t') {
      const int64_t blanks = size > 0 ? size - column % size : 0;
      in.budget().check_text(blanks > (int64_t{1} << 40) ? SIZE_MAX : out.size() + static_cast<size_t>(blanks));
      in.budget().spend_bytes(static_cast<size_t>(blanks));
      out.append(static_cast<size_t>(blanks), ' ');
      column += blanks;
    } else {
      out += std::string_view(text.bytes()).substr(begin, at - begin);
      column = c == '\n' || c == '\r' ? 0 : column + 1;
    }
  }
  in.budget().spend_bytes(text.bytes().size());
  return made_from(in, text, std::move(out));
}

constexpr MethodEntry kForms[] = {
    {"upper", changed<upper>},       {"lower", changed<lower>},
    {"title", changed<title>},       {"capitalize", changed<capitalize>},
    {"swapcase", changed<swapcase>}, {"casefold", changed<casefold>},
    {"center", aligned<'^'>},        {"ljust", aligned<'<'>},
    {"rjust", aligned<'>'>},         {"zfill", zfill},
    {"expandtabs", expand_tabs},
};

}  // namespace

std::span<const MethodEntry> text_forms() { return kForms; }

}  // namespace skald::jinja
