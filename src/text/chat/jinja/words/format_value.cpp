// format(value, specification): [[fill]align][sign][z][#][0][width][grouping][.precision][type]
#include <algorithm>
#include <charconv>
#include <cmath>

#include "text/chat/jinja/values/numbers.h"
#include "text/chat/jinja/values/show.h"
#include "text/chat/jinja/words/format.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

struct Specification {
  std::string fill = " ";
  char align = 0, sign = '-', grouping = 0, type = 0;
  bool alternate = false, no_negative_zero = false, zero = false;
  int64_t width = 0, precision = -1;
};

bool is_align(char c) { return c == '<' || c == '>' || c == '=' || c == '^'; }

int64_t number_at(std::string_view text, size_t& at) {
  int64_t out = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    out = out * 10 + (text[at] - '0');
    if (out > INT32_MAX) raise(ErrorKind::kValue, "Too many decimal digits in format string");
  }
  return out;
}

Specification parse(std::string_view text, const Value& value) {
  Specification out;
  size_t at = 0;
  const auto skip = [&](char c) { return at < text.size() && text[at] == c && ++at; };
  if (!text.empty()) {
    size_t after = 0;
    next_char(text, after);
    if (after < text.size() && is_align(text[after])) {
      out.fill = text.substr(0, after);
      out.align = text[after];
      at = after + 1;
    } else if (is_align(text[0])) {
      out.align = text[at++];
    }
  }
  if (at < text.size() && (text[at] == '+' || text[at] == '-' || text[at] == ' ')) out.sign = text[at++];
  out.no_negative_zero = skip('z');
  out.alternate = skip('#');
  if (skip('0')) {
    out.zero = true;
    if (out.align == 0) {
      out.fill = "0";
      if (!value.is_text()) out.align = '=';
    }
  }
  out.width = number_at(text, at);
  if (at < text.size() && (text[at] == ',' || text[at] == '_')) out.grouping = text[at++];
  if (skip('.')) {
    if (at >= text.size() || text[at] < '0' || text[at] > '9')
      raise(ErrorKind::kValue, "Format specifier missing precision");
    out.precision = number_at(text, at);
  }
  if (at + 1 < text.size())
    raise(ErrorKind::kValue, "Invalid format specifier '{}' for object of type '{}'", text.substr(0, 100), type_name(value));
  if (at < text.size()) out.type = text[at];
  return out;
}

[[noreturn]] void unknown_code(const Specification& s, const Value& value) {
  raise(ErrorKind::kValue, "Unknown format code '{}' for object of type '{}'", s.type, type_name(value));
}

// Separators between groups of digits, in front of a point or an exponent; zeros in front up to `width` get them too.
std::string grouped(std::string_view digits, char separator, size_t group, size_t width) {
  size_t whole = 0;
  while (whole < digits.size() && std::isxdigit(static_cast<unsigned char>(digits[whole]))) ++whole;
  const std::string_view rest = digits.substr(whole);
  std::string out;
  for (size_t i = 0; i < whole || (width > 0 && out.size() + rest.size() < width); ++i) {
    if (i > 0 && i % group == 0) out += separator;
    out += i < whole ? digits[whole - 1 - i] : '0';
  }
  std::ranges::reverse(out);
  return out + std::string(rest);
}

// The sign, a prefix, then digits, filled up.
std::string finish_number(Budget& budget, const Specification& s, bool negative, std::string_view prefix, std::string digits,
                          size_t group) {
  std::string head = negative ? "-" : s.sign == '-' ? "" : std::string(1, s.sign);
  head += prefix;
  const char align = s.align ? s.align : '>';
  if (s.grouping) {
    const bool zeros = s.fill == "0" && align == '=';
    budget.check_text(static_cast<size_t>(s.width));
    const auto width = static_cast<size_t>(s.width);
    digits = grouped(digits, s.grouping, group, zeros && width > head.size() ? width - head.size() : 0);
  }
  return padded(budget, head + digits, s.width, align, s.fill, head.size());
}

std::string format_integer(Heap& heap, const Specification& s, const Value& value) {
  if (s.precision >= 0) raise(ErrorKind::kValue, "Precision not allowed in integer format specifier");
  const Integer number = integer_of(value);
  if (s.type == 'c') {
    const auto code = number.small();
    if (!code || *code < 0 || *code > 0x10FFFF) raise(ErrorKind::kOverflow, "%c arg not in range(0x110000)");
    std::string out;
    append_char(out, static_cast<char32_t>(*code));
    return padded(heap.budget(), out, s.width, s.align ? s.align : '>', s.fill);
  }
  const bool upper = s.type == 'X';
  const int base = s.type == 'b' ? 2 : s.type == 'o' ? 8 : s.type == 'x' || upper ? 16 : 10;
  heap.budget().spend_bytes(number.bits() * 8);
  std::string digits = base == 10 ? integer_text(make_integer(heap, number)) : number.text(base);
  const bool negative = digits[0] == '-';
  if (negative) digits.erase(0, 1);
  if (upper)
    for (char& c : digits) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (base != 10 && s.grouping == ',') raise(ErrorKind::kValue, "Cannot specify ',' with '{}'.", s.type);
  const std::string prefix = s.alternate && base != 10 ? std::string("0") + s.type : "";
  return finish_number(heap.budget(), s, negative, prefix, std::move(digits), base == 10 ? 3 : 4);
}

std::string format_float(Budget& budget, const Specification& s, double value) {
  const double size = std::fabs(value);
  bool negative = std::signbit(value) && !std::isnan(value);
  char type = s.type;
  int64_t precision = s.precision;
  std::string digits;
  if (type == 0 && precision < 0) {
    digits = float_text(size);
    if (s.alternate && digits.find('.') == std::string::npos) digits += '.';
  } else if (type == 0) {  // as 'g', with at least one digit after the point
    digits = float_digits(budget, size, 'g', precision, s.alternate);
    if (digits.find_first_of(".en") == std::string::npos) {
      if (digits.size() >= static_cast<size_t>(std::max<int64_t>(precision, 1)) && std::isfinite(size)) {
        const int64_t shown = std::max<int64_t>(precision, 1) - 1;
        std::string scientific = float_digits(budget, size, 'e', shown, s.alternate);
        if (static_cast<int64_t>(digits.size()) > shown) {
          // Python switches to an exponent where the digits fill the precision.
          const size_t e = scientific.find('e');
          std::string mantissa = scientific.substr(0, e);
          if (mantissa.find('.') != std::string::npos) {
            while (mantissa.back() == '0') mantissa.pop_back();
            if (mantissa.back() == '.') mantissa.pop_back();
          }
          digits = mantissa + scientific.substr(e);
        }
      } else {
        digits += ".0";
      }
    }
  } else {
    if (precision < 0) precision = 6;
    const bool percent = type == '%';
    if (type == 'n') type = 'g';
    digits = float_digits(budget, percent ? size * 100 : size, percent ? 'f' : type, precision, s.alternate);
    if (percent) digits += '%';
  }
  if (s.no_negative_zero && digits.find_first_of("123456789in") == std::string::npos) negative = false;
  return finish_number(budget, s, negative, "", std::move(digits), 3);
}

std::string format_text(Budget& budget, const Specification& s, std::string_view text, const Value& value) {
  if (s.type != 0 && s.type != 's') unknown_code(s, value);
  if (s.align == '=') raise(ErrorKind::kValue, "'=' alignment not allowed in string format specifier");
  if (s.sign != '-') raise(ErrorKind::kValue, "Sign not allowed in string format specifier");
  if (s.alternate) raise(ErrorKind::kValue, "Alternate form (#) not allowed in string format specifier");
  if (s.grouping) raise(ErrorKind::kValue, "Cannot specify '{}' with 's'.", s.grouping);
  if (s.precision >= 0) text = text.substr(0, char_offset(text, static_cast<size_t>(s.precision)));
  return padded(budget, text, s.width, s.align ? s.align : '<', s.fill);
}

}  // namespace

std::string padded(Budget& budget, std::string_view text, int64_t width, char align, std::string_view fill, size_t sign) {
  const auto length = static_cast<int64_t>(count_chars(text));
  if (width <= length) return std::string(text);
  const auto missing = static_cast<size_t>(width - length);
  budget.check_text(missing > budget.limits().output ? missing : text.size() + missing * fill.size());
  budget.spend_bytes(text.size() + missing * fill.size());
  const size_t left = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
  std::string out;
  if (align == '=') out += text.substr(0, sign);
  for (size_t i = 0; i < left; ++i) out += fill;
  out += text.substr(align == '=' ? sign : 0);
  for (size_t i = left; i < missing; ++i) out += fill;
  return out;
}

std::string float_digits(Budget& budget, double value, char type, int64_t precision, bool alternate) {
  const bool upper = type == 'E' || type == 'F' || type == 'G';
  std::string out;
  if (!std::isfinite(value)) {
    out = std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  } else {
    budget.check_text(static_cast<size_t>(precision) + 400);
    budget.spend_bytes(static_cast<size_t>(precision) + 400);
    const char format[] = {'%',
                           alternate ? '#' : '.',
                           alternate ? '.' : '*',
                           alternate ? '*' : static_cast<char>(type | 0x20),
                           alternate ? static_cast<char>(type | 0x20) : '\0',
                           '\0'};
    const int length =
        std::snprintf(nullptr, 0, format, static_cast<int>(precision), value);  // NOLINT: one of three formats
    out.resize(static_cast<size_t>(length) + 1);
    std::snprintf(out.data(), out.size(), format, static_cast<int>(precision), value);  // NOLINT: as above
    out.pop_back();
  }
  if (upper)
    for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

Value format_value(Heap& heap, const Value& value, std::string_view specification) {
  if (specification.empty()) return to_text(heap, value);
  Budget& budget = heap.budget();
  if (value.is_undefined() || value.is_text()) {
    const Specification s = parse(specification, value.is_text() ? value : make_text(heap, "", true));
    const Value text = to_text(heap, value);
    return make_text(heap, format_text(budget, s, text.as<Text>().bytes(), value), is_trusted(text));
  }
  if (!value.is_number()) raise(ErrorKind::kType, "unsupported format string passed to {}.__format__", type_name(value));
  const Specification s = parse(specification, value);
  const bool whole = std::string_view("bcdoxX").find(s.type) != std::string_view::npos;
  const bool real = std::string_view("eEfFgG%").find(s.type) != std::string_view::npos;
  if (value.is(Kind::kFloat)) {
    if (s.type != 0 && s.type != 'n' && !real) unknown_code(s, value);
    return make_text(heap, format_float(budget, s, value.real()), true);
  }
  if (s.type == 0 && value.is(Kind::kBool))
    return make_text(heap, format_integer(heap, s, Value::of(value.integer())), true);
  if (s.type == 0 || s.type == 'n' || (whole && s.type != 0)) return make_text(heap, format_integer(heap, s, value), true);
  if (real) return make_text(heap, format_float(budget, s, float_of(value)), true);
  unknown_code(s, value);
}

}  // namespace skald::jinja
