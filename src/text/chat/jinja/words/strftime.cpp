#include "text/chat/jinja/words/strftime.h"

#include <algorithm>

#include "text/chat/jinja/run/failure.h"

namespace skald::jinja {
namespace {

// One conversion without widths and flags, whose result is short.
std::string converted(char flag, char modifier, char letter, const std::tm& time) {
  if (letter == 'f') return "000000";             // Python's own: microseconds
  if (letter == 'z' || letter == 'Z') return {};  // a time without a zone has none
  char text[128];
  std::string format = "%";
  if (flag) format += flag;
  if (modifier) format += modifier;
  format += letter;
  format += '|';  // so that an empty result is no failure
  const size_t length = std::strftime(text, sizeof text, format.c_str(), &time);
  return length == 0 ? std::string() : std::string(text, length - 1);
}

}  // namespace

std::string format_time(std::string_view format, const std::tm& time, Budget& budget) {
  constexpr std::string_view kLetters = "aAbBcCdDeFfgGhHIjklmMnNpPrRsStTuUVwWxXyYzZ%";
  std::string out;
  for (size_t at = 0; at < format.size();) {
    budget.check_text(out.size());
    if (format[at] != '%') {
      out += format[at++];
      continue;
    }
    budget.spend(4);
    const size_t begin = at++;
    char flag = 0, modifier = 0;
    if (at < format.size() && std::string_view("-_0^#").find(format[at]) != std::string_view::npos) flag = format[at++];
    if (at < format.size() && (format[at] == 'E' || format[at] == 'O')) modifier = format[at++];
    if (at < format.size() && format[at] != 'N' && kLetters.find(format[at]) != std::string_view::npos) {
      out += converted(flag, modifier, format[at++], time);
    } else {
      const size_t after = std::min(format.find_first_not_of("0123456789", at), format.size());
      if (after > at && after < format.size() && kLetters.find(format[after]) != std::string_view::npos)
        raise(ErrorKind::kUnsupported, "strftime_now(): widths in conversions");
      out += format.substr(begin, after - begin);
      at = after;
    }
  }
  budget.check_text(out.size());
  return out;
}

}  // namespace skald::jinja
