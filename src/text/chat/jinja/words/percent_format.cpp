// text % values, as Python's str has it.
#include <cmath>

#include "text/chat/jinja/values/numbers.h"
#include "text/chat/jinja/values/show.h"
#include "text/chat/jinja/words/format.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

struct Conversion {
  bool left = false, plus = false, blank = false, alternate = false, zero = false;
  int64_t width = 0, precision = -1;
  char type = 0;
};

class PercentFormat {
 public:
  PercentFormat(Heap& heap, const Text& text, const Value& values)
      : heap_(heap), text_(text.bytes()), values_(values), markup_(text.is_markup()) {
    out_.trusted = text.marked().all_trusted();
  }

  Shown run() {
    while (at_ < text_.size()) {
      const size_t sign = std::min(text_.find('%', at_), text_.size());
      out_.text += text_.substr(at_, sign - at_);
      at_ = sign + 1;
      if (sign < text_.size()) convert();
      heap_.budget().check_text(out_.text.size());
    }
    if (!named_ && used_ < count()) {
      const bool silent = values_.is(Kind::kDict) || values_.is(Kind::kList) || values_.is(Kind::kUndefined);
      if (!silent || values_.is(Kind::kTuple))
        raise(ErrorKind::kType, "not all arguments converted during string formatting");
    }
    return std::move(out_);
  }

 private:
  size_t count() const { return values_.is(Kind::kTuple) ? values_.as<Sequence>().items.size() : 1; }

  char take() {
    if (at_ >= text_.size()) raise(ErrorKind::kValue, "incomplete format");
    return text_[at_++];
  }

  Value next_value() {
    if (used_ >= count()) raise(ErrorKind::kType, "not enough arguments for format string");
    const size_t index = used_++;
    return values_.is(Kind::kTuple) ? values_.as<Sequence>().items[index] : values_;
  }

  Value named_value() {
    int depth = 1;
    const size_t begin = at_;
    while (depth > 0) {
      if (at_ >= text_.size()) raise(ErrorKind::kValue, "incomplete format key");
      depth += text_[at_] == '(' ? 1 : text_[at_] == ')' ? -1 : 0;
      ++at_;
    }
    if (!values_.is(Kind::kDict)) raise(ErrorKind::kType, "format requires a mapping");
    named_ = true;
    const std::string_view key = text_.substr(begin, at_ - 1 - begin);
    const Value* value = values_.as<Dict>().find(key);
    if (!value) raise(ErrorKind::kKey, "'{}'", key.substr(0, 100));
    return *value;
  }

  int64_t number(const char* what) {
    if (at_ < text_.size() && text_[at_] == '*') {
      ++at_;
      const Value value = next_value();
      if (!value.is_integer()) raise(ErrorKind::kType, "* wants int");
      const int64_t out = index_of(value);
      if (out > INT32_MAX || out < -INT32_MAX) raise(ErrorKind::kOverflow, "{} too big", what);
      return out;
    }
    int64_t out = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      out = out * 10 + (text_[at_] - '0');
      if (out > INT32_MAX) raise(ErrorKind::kValue, "{} too big", what);
    }
    return out;
  }

  void convert() {
    Conversion c;
    Value value;
    if (at_ < text_.size() && text_[at_] == '(') {
      ++at_;
      value = named_value();
    }
    for (bool more = true; more;) {
      switch (at_ < text_.size() ? text_[at_] : '\0') {
        case '-':
          c.left = true;
          break;
        case '+':
          c.plus = true;
          break;
        case ' ':
          c.blank = true;
          break;
        case '#':
          c.alternate = true;
          break;
        case '0':
          c.zero = true;
          break;
        default:
          more = false;
      }
      if (more) ++at_;
    }
    c.width = number("width");
    if (c.width < 0) {
      c.left = true;
      c.width = -c.width;
    }
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      c.precision = std::max<int64_t>(number("precision"), 0);
    }
    while (at_ < text_.size() && (text_[at_] == 'l' || text_[at_] == 'h' || text_[at_] == 'L')) ++at_;
    c.type = take();
    if (c.type == '%') {
      out_.text += '%';
      return;
    }
    if (value.is_missing()) value = next_value();
    put(c, value);
  }

  void put(const Conversion& c, const Value& value) {
    switch (c.type) {
      case 's':
      case 'r':
      case 'a':
        return put_text(c, value);
      case 'd':
      case 'i':
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        return put_integer(c, value);
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        return put_float(c, value);
      case 'c':
        return put_char(c, value);
      default:
        raise(ErrorKind::kValue, "unsupported format character '{}' ({:#x}) at index {}",
              static_cast<unsigned char>(c.type) < 0x80 ? c.type : '?', static_cast<unsigned char>(c.type), at_ - 1);
    }
  }

  void pad(const Conversion& c, std::string_view text) {
    out_.text += padded(heap_.budget(), text, c.width, c.left ? '<' : '>', " ");
  }

  void put_text(const Conversion& c, const Value& value) {
    if (c.type == 'a') raise(ErrorKind::kUnsupported, "the conversion %a");
    Shown shown;
    if (c.type == 's' && markup_) {
      const Value text = escaped(heap_, value);
      shown = {text.as<Text>().bytes(), is_trusted(text)};
    } else if (c.type == 's') {
      const Value text = to_text(heap_, value);
      shown = {text.as<Text>().bytes(), is_trusted(text)};
    } else {
      shown = repr(value, heap_.budget());
    }
    out_.trusted = out_.trusted && shown.trusted;
    std::string_view text = shown.text;
    if (c.precision >= 0) text = text.substr(0, char_offset(text, static_cast<size_t>(c.precision)));
    pad(c, text);
  }

  std::string_view sign(const Conversion& c, bool negative) const {
    return negative ? "-" : c.plus ? "+" : c.blank ? " " : "";
  }

  void put_number(const Conversion& c, std::string head, const std::string& digits) {
    const size_t sign = head.size();
    const char align = c.left ? '<' : c.zero ? '=' : '>';
    out_.text += padded(heap_.budget(), head + digits, c.width, align, align == '=' ? "0" : " ", sign);
  }

  void put_integer(const Conversion& c, const Value& value) {
    if (value.is_undefined()) value.as<Undefined>().fail();
    const bool decimal = c.type == 'd' || c.type == 'i' || c.type == 'u';
    if (!value.is_number() || (!decimal && value.is(Kind::kFloat)))
      raise(ErrorKind::kType, "%{} format: {} is required, not {}", c.type, decimal ? "a real number" : "an integer",
            type_name(value));
    const Value whole = value.is(Kind::kFloat) ? truncated(heap_, value.real()) : value;
    const Integer number = integer_of(whole);
    std::string digits = decimal ? integer_text(make_integer(heap_, number)) : number.text(c.type == 'o' ? 8 : 16);
    const bool negative = digits[0] == '-';
    if (negative) digits.erase(0, 1);
    if (c.precision > static_cast<int64_t>(digits.size())) digits = padded(heap_.budget(), digits, c.precision, '>', "0");
    std::string head(sign(c, negative));
    if (c.alternate && !decimal) head += std::string("0") + c.type;
    if (c.type == 'X')
      for (char& d : digits) d = static_cast<char>(std::toupper(static_cast<unsigned char>(d)));
    put_number(c, std::move(head), digits);
  }

  void put_float(const Conversion& c, const Value& value) {
    if (value.is_undefined()) value.as<Undefined>().fail();
    if (!value.is_number()) raise(ErrorKind::kType, "must be real number, not {}", type_name(value));
    const double number = float_of(value);
    const bool negative = std::signbit(number) && !std::isnan(number);
    put_number(c, std::string(sign(c, negative)),
               float_digits(heap_.budget(), std::fabs(number), c.type, c.precision < 0 ? 6 : c.precision, c.alternate));
  }

  void put_char(const Conversion& c, const Value& value) {
    std::string out;
    if (value.is_text() && value.as<Text>().length() == 1) {
      out = value.as<Text>().bytes();
      out_.trusted = out_.trusted && is_trusted(value);
    } else if (value.is_integer()) {
      const int64_t code = index_of(value);
      if (code < 0 || code > 0x10FFFF) raise(ErrorKind::kOverflow, "%c arg not in range(0x110000)");
      append_char(out, static_cast<char32_t>(code));
    } else {
      raise(ErrorKind::kType, "%c requires int or char");
    }
    pad(c, out);
  }

  Heap& heap_;
  std::string_view text_;
  const Value& values_;
  bool markup_, named_ = false;
  size_t at_ = 0, used_ = 0;
  Shown out_;
};

}  // namespace

Value percent_format(Heap& heap, const Value& text, const Value& values) {
  Shown out = PercentFormat(heap, text.as<Text>(), values).run();
  return make_text(heap, MarkedText(std::move(out.text), out.trusted), text.as<Text>().is_markup());
}

}  // namespace skald::jinja
