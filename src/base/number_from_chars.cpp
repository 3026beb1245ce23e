#include "base/number_from_chars.h"

#include <cerrno>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <locale>  // on macOS, locale_t and strtod_l()
#include <string>
#include <system_error>

namespace skald {
namespace {

double read(const char* text, char** stop, locale_t locale, double) { return ::strtod_l(text, stop, locale); }
float read(const char* text, char** stop, locale_t locale, float) { return ::strtof_l(text, stop, locale); }

// strtod() reads more than from_chars(): space and a plus sign in front, and hexadecimal digits.
template <class T>
std::from_chars_result read_decimal(const char* first, const char* last, T& out) {
  static const locale_t c = ::newlocale(LC_ALL_MASK, "C", nullptr);
  std::string text(first, last);
  const size_t sign = text.starts_with('-');
  if (text.size() == sign || text[sign] == '+' || text[sign] == '-' || static_cast<unsigned char>(text[sign]) <= ' ')
    return {first, std::errc::invalid_argument};
  if (text[sign] == '0' && text.size() > sign + 1 && (text[sign + 1] == 'x' || text[sign + 1] == 'X')) text.resize(sign + 1);
  char* stop = nullptr;
  errno = 0;
  const T value = read(text.c_str(), &stop, c, T{});
  if (stop == text.c_str()) return {first, std::errc::invalid_argument};
  const char* const end = first + (stop - text.c_str());
  if (errno == ERANGE && (value == 0 || std::isinf(value))) return {end, std::errc::result_out_of_range};
  out = value;
  return {end, std::errc{}};
}

}  // namespace

std::from_chars_result number_by_strtod(const char* first, const char* last, double& out) {
  return read_decimal(first, last, out);
}

std::from_chars_result number_by_strtod(const char* first, const char* last, float& out) {
  return read_decimal(first, last, out);
}

}  // namespace skald
