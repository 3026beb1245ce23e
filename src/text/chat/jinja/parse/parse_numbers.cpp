// Python's int(text) and float(text).
#include <algorithm>
#include <cmath>

#include "base/lowercase.h"
#include "base/number_from_chars.h"
#include "text/chat/jinja/run/protocol.h"
#include "text/chat/jinja/values/numbers.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

constexpr size_t kMostDigits = 4300;  // sys.get_int_max_str_digits()

// Without the blanks around, digits of all scripts as ASCII; empty where a character is none of a number's.
std::string plain(std::string_view text) {
  size_t begin = 0, end = text.size();
  while (begin < end) {
    size_t at = begin;
    if (!is_space(next_char(text, at))) break;
    begin = at;
  }
  while (end > begin) {
    size_t at = end;
    if (!is_space(previous_char(text, at))) break;
    end = at;
  }
  std::string out;
  for (size_t at = begin; at < end;) {
    const char32_t c = next_char(text, at);
    const int digit = decimal_value(c);
    if (c >= 0x80 && digit < 0) return {};
    out += digit >= 0 ? static_cast<char>('0' + digit) : static_cast<char>(c);
  }
  return out;
}

// Underscores may stand between digits only.
bool drop_underscores(std::string& digits) {
  if (digits.empty() || digits.front() == '_' || digits.back() == '_' || digits.find("__") != std::string::npos)
    return false;
  std::erase(digits, '_');
  return true;
}

int base_of_prefix(std::string_view digits) {
  if (digits.size() < 2 || digits[0] != '0') return 0;
  switch (digits[1] | 0x20) {
    case 'x':
      return 16;
    case 'o':
      return 8;
    case 'b':
      return 2;
    default:
      return 0;
  }
}

bool is_digit_of(char c, int base) {
  const int value = c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'z' ? (c | 0x20) - 'a' + 10 : 99;
  return value < base;
}

}  // namespace

Value parse_integer(Heap& heap, std::string_view text, int64_t wanted_base) {
  if (wanted_base != 0 && (wanted_base < 2 || wanted_base > 36))
    raise(ErrorKind::kValue, "int() base must be >= 2 and <= 36, or 0");
  heap.budget().spend_bytes(text.size());
  std::string digits = plain(text);
  bool negative = false;
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) {
    negative = digits[0] == '-';
    digits.erase(0, 1);
  }
  int base = static_cast<int>(wanted_base);
  const int prefix = base_of_prefix(digits);
  if (prefix != 0 && (base == 0 || base == prefix)) {
    base = prefix;
    digits.erase(0, 2);
    if (!digits.empty() && digits[0] == '_') digits.erase(0, 1);
  } else if (base == 0) {
    base = 10;
    if (digits.size() > 1 && digits[0] == '0' && digits.find_first_not_of("0_") != std::string::npos) return {};
  }
  if (!drop_underscores(digits)) return {};
  if (!std::ranges::all_of(digits, [base](char c) { return is_digit_of(c, base); })) return {};
  if (digits.size() > kMostDigits && (base & (base - 1)) != 0) return {};
  const Integer value = Integer::parse(digits, base);
  return make_integer(heap, negative ? -value : value);
}

bool parse_float(std::string_view text, double& out) {
  std::string number = plain(text);
  const size_t sign = !number.empty() && (number[0] == '-' || number[0] == '+') ? 1 : 0;
  const bool negative = sign == 1 && number[0] == '-';
  const std::string word = lowercase(number.substr(sign));
  if (word == "inf" || word == "infinity" || word == "nan") {
    out = word == "nan" ? std::nan("") : HUGE_VAL;
    if (negative) out = -out;
    return true;
  }
  for (size_t at = number.find('_'); at != std::string::npos; at = number.find('_', at)) {
    const bool between =
        at > 0 && at + 1 < number.size() && is_digit_of(number[at - 1], 10) && is_digit_of(number[at + 1], 10);
    if (!between) return false;
    number.erase(at, 1);
  }
  if (word.empty() || word.find_first_not_of("0123456789_.e+-") != std::string::npos) return false;
  const char* begin = number.data() + sign;
  const char* end = number.data() + number.size();
  if (*begin == '-' || *begin == '+') return false;
  const auto [stop, error] = number_from_chars(begin, end, out);
  if (stop != end || (error != std::errc() && error != std::errc::result_out_of_range)) return false;
  if (error == std::errc::result_out_of_range) out = std::strtod(begin, nullptr);
  if (negative) out = -out;
  return true;
}

}  // namespace skald::jinja
