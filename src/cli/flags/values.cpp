#include "cli/flags/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <system_error>

#include "base/number_from_chars.h"
#include "base/terminal_text.h"
#include "cli/flags/flags.h"

namespace skald {
namespace {

template <class T>
T parse(std::string_view flag, std::string_view text, const char* what) {
  T out{};
  const auto [stop, error] = number_from_chars(text.data(), text.data() + text.size(), out);
  if (error == std::errc::result_out_of_range)
    throw UsageError(fmt::format("{}: {} is out of range", flag, terminal_text(text)));
  if (error != std::errc{} || stop != text.data() + text.size())
    throw UsageError(fmt::format("{}: '{}' is not {}", flag, terminal_text(text), what));
  return out;
}

}  // namespace

template <class T>
T whole_number(std::string_view flag, std::string_view text) {
  return parse<T>(flag, text, "a whole number");
}
template int whole_number<int>(std::string_view, std::string_view);
template int64_t whole_number<int64_t>(std::string_view, std::string_view);
template uint64_t whole_number<uint64_t>(std::string_view, std::string_view);

std::vector<std::string> comma_list(std::string_view flag, std::string_view list) {
  std::vector<std::string> items;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    if (end > at) items.emplace_back(list.substr(at, end - at));
    at = end + 1;
  }
  if (items.empty()) throw UsageError(fmt::format("{}: the list is empty", flag));
  return items;
}

float number(std::string_view flag, std::string_view text) { return parse<float>(flag, text, "a number"); }

ScaledFile scaled_file(std::string_view flag, const std::string& word) {
  const size_t colon = word.rfind(':');
  if (colon == word.npos || colon == 0)
    throw UsageError(fmt::format("{}: '{}': want FILE:SCALE", flag, terminal_text(word)));
  return {word.substr(0, colon), number(flag, word.substr(colon + 1))};
}

}  // namespace skald
