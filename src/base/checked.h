// Overflow-aware arithmetic for sizes that come from files and requests.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace skald {

/// a * b for non-negative values; nullopt on overflow or a negative factor.
constexpr std::optional<int64_t> checked_mul(int64_t a, int64_t b) {
  int64_t out = 0;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

/// a + b for non-negative values; nullopt on overflow or a negative term.
constexpr std::optional<int64_t> checked_add(int64_t a, int64_t b) {
  int64_t out = 0;
  if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &out)) return std::nullopt;
  return out;
}

/// `value` rounded up to a multiple of `step` (step > 0, no overflow expected).
constexpr int64_t round_up(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace skald
