#include "text/chat/jinja/parse/number_literal.h"

namespace skald::jinja {
namespace {

// Digits with single underscores between them; where they end.
size_t digits(std::string_view source, size_t at) {
  if (at >= source.size() || !is_digit_char(source[at])) return at;
  while (at < source.size()) {
    if (is_digit_char(source[at]))
      ++at;
    else if (source[at] == '_' && at + 1 < source.size() && is_digit_char(source[at + 1]))
      at += 2;
    else
      break;
  }
  return at;
}

// `at` where there is no float.
size_t float_end(std::string_view source, size_t at) {
  if (at > 0 && source[at - 1] == '.') return at;
  const size_t whole = digits(source, at);
  size_t end = whole;
  if (whole < source.size() && source[whole] == '.')
    if (const size_t fraction = digits(source, whole + 1); fraction > whole + 1) end = fraction;
  if (end < source.size() && (source[end] | 0x20) == 'e') {
    size_t exponent = end + 1;
    if (exponent < source.size() && (source[exponent] == '+' || source[exponent] == '-')) ++exponent;
    const size_t stop = digits(source, exponent);
    if (stop > exponent) return stop;
  }
  return end > whole ? end : at;
}

bool in_base(char c, int base) {
  const int value = is_digit_char(c) ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : 99;
  return value < base;
}

// The base that a prefix like 0x gives, and where the digits begin.
int read_prefix(std::string_view source, size_t& at) {
  if (source[at] != '0' || at + 1 >= source.size()) return 10;
  const char letter = static_cast<char>(source[at + 1] | 0x20);
  const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
  size_t first = at + 2;
  if (first < source.size() && source[first] == '_') ++first;
  if (!base || first >= source.size() || !in_base(source[first], base)) return 10;
  at = first;
  return base;
}

}  // namespace

NumberText read_number(std::string_view source, size_t at) {
  NumberText out;
  if (const size_t end = float_end(source, at); end > at) {
    out.text = source.substr(at, end - at);
    std::erase(out.text, '_');
    out.is_float = true;
    out.end = end;
    return out;
  }
  out.base = read_prefix(source, at);
  const bool zeros = out.base == 10 && source[at] == '0';  // "007" is 00 and 7
  while (at < source.size()) {
    const size_t digit = at + (source[at] == '_' && !out.text.empty() ? 1 : 0);
    if (digit >= source.size() || !in_base(source[digit], out.base) || (zeros && source[digit] != '0')) break;
    out.text += source[digit];
    at = digit + 1;
  }
  out.end = at;
  return out;
}

}  // namespace skald::jinja
