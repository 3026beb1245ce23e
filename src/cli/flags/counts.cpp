#include "cli/flags/counts.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "cli/flags/flags.h"

namespace skald {
namespace {

std::optional<int64_t> parse_count(std::string_view text) {
  int64_t n = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  const std::string_view suffix(stop, text.data() + text.size());
  const int64_t unit = suffix.empty()                   ? 1
                       : suffix == "k" || suffix == "K" ? 1 << 10
                       : suffix == "m" || suffix == "M" ? 1 << 20
                                                        : 0;
  if (error != std::errc{} || unit == 0 || __builtin_mul_overflow(n, unit, &n)) return std::nullopt;
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
  if (*first < 1 || *first > *last)
    throw UsageError(fmt::format("'{}': want a range upwards from 1 or more", text.substr(0, 40)));
  const int64_t end = *last;
  std::vector<int64_t> counts;
  for (int64_t n = *first; n < end; n = end / 2 < n ? end : 2 * n) counts.push_back(n);
  counts.push_back(end);
  return counts;
}

}  // namespace skald
