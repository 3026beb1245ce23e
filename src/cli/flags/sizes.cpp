#include "cli/flags/sizes.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "cli/flags/flags.h"

namespace skald {

int64_t parse_size(std::string_view flag, std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  const size_t power = unit.size() == 1 ? std::string_view("kKmMgG").find(unit[0]) : std::string_view::npos;
  const int shift = unit.empty() ? 0 : 10 * (static_cast<int>(power) / 2 + 1);
  const bool good = error == std::errc{} && value >= 0 && (unit.empty() || power != std::string_view::npos);
  if (!good || value > std::numeric_limits<int64_t>::max() >> shift)
    throw UsageError(fmt::format("{}: '{}': want bytes, or a number with K, M or G after it", flag, text));
  return value << shift;
}

}  // namespace skald
