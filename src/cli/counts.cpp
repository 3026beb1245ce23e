#include "cli/counts.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "cli/flags.h"

namespace skald {
namespace {

std::optional<int64_t> parse_count(std::string_view text) {
  int64_t n = 0, unit = 1;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, n);
  if (error != std::errc{}) return std::nullopt;
  if (const std::string_view suffix(stop, end); suffix == "k" || suffix == "K")
    unit = int64_t{1} << 10;
  else if (suffix == "m" || suffix == "M")
    unit = int64_t{1} << 20;
  else if (!suffix.empty())
    return std::nullopt;
  if (__builtin_mul_overflow(n, unit, &n)) return std::nullopt;
  return n;
}

}  // namespace

std::vector<int64_t> parse_counts(std::string_view text) {
  constexpr std::string_view kTo = "..";
  const size_t to = text.find(kTo);
  const std::optional<int64_t> first = parse_count(text.substr(0, to));
  const std::optional<int64_t> last = to == std::string_view::npos ? first : parse_count(text.substr(to + kTo.size()));
  if (!first || !last) throw UsageError(fmt::format("'{}' is not a number like 4096, 4k or 1k..128k", text.substr(0, 40)));
  if (to == std::string_view::npos) return {*first};
  if (*first < 1 || *first > *last) throw UsageError(fmt::format("'{}': want a range upwards from 1 or more", text));
  std::vector<int64_t> counts;
  for (int64_t n = *first; n < *last; n *= 2) {
    counts.push_back(n);
    if (n > *last / 2) break;
  }
  counts.push_back(*last);
  return counts;
}

}  // namespace skald
