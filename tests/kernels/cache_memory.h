// Keys and values as the cache holds them, with NaN wherever no number was stored, in memory that ends with the last of
// them.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/api/attention.h"
#include "kernels/api/kv_view.h"
#include "quant/registry.h"
#include "tests/support/close_to.h"
#include "tests/support/random.h"

namespace skald::test {

inline std::vector<const Format*> formats_named(std::initializer_list<std::string_view> names) {
  std::vector<const Format*> out;
  for (std::string_view name : names) out.push_back(find_format(name));
  return out;
}
inline std::vector<const Format*> plain_formats() { return formats_named({"f32", "f16", "bf16"}); }
inline std::vector<const Format*> block_formats() { return formats_named({"q8_0", "q4_0"}); }
inline std::vector<const Format*> cache_formats() { return formats_named({"f32", "f16", "bf16", "q8_0", "q4_0"}); }

/// Head sizes around the widths of vectors, and usual ones; for blocks of 32 only their multiples.
inline std::vector<int64_t> head_sizes(const Format& format) {
  if (format.block > 1) return {32, 64, 96, 128, 256};
  return {1, 3, 7, 8, 15, 16, 17, 33, 64, 80, 96, 100, 112, 128, 256};
}

/// Whether this tier rounds weights of a group's values in this format, times their blocks' scales, to kMostWeight parts of
/// the largest of a page.
inline bool rounds_weights(std::string_view tier, const Format& format, int64_t group) {
  const auto floats = {"scalar", "avx512", "neon", "dotprod", "i8mm", "sve256", "sve512"};
  return format.block > 1 && group >= 3 && std::ranges::find(floats, tier) == floats.end();
}
inline constexpr float kMostWeight = 32767.0f;

inline std::unique_ptr<std::byte[]> nan_bytes(int64_t n) {
  auto memory = std::make_unique<std::byte[]>(static_cast<size_t>(n));
  std::fill_n(memory.get(), n, std::byte{0xff});  // NaN as a float, and as a half
  return memory;
}

/// n rows of d random values. The pointers after them lead to where the memory ends: kernels may ask for it, not read it.
class CacheRows {
 public:
  static constexpr int64_t kGap = 8;

  CacheRows(const Format& format, int64_t n, int64_t d, uint64_t seed) : values(normal(n * d, seed)) {
    const int64_t bytes = format.bytes(d), stride = bytes + kGap;
    memory_ = nan_bytes((n - 1) * stride + bytes);
    for (int64_t i = 0; i < n; ++i) {
      std::byte* row = memory_.get() + i * stride;
      format.encode(values.data() + i * d, row, d);
      format.decode(row, values.data() + i * d, d);
      rows.push_back(row);
    }
    rows.insert(rows.end(), kRowsAhead, rows.back() + bytes);
    bytes_ = n * stride;
  }
  /// As if a page of the same size followed; every other time no page at all.
  NextPage next(int64_t i) const { return i % 2 ? NextPage{rows.back(), bytes_} : NextPage{}; }

  std::vector<float> values;           // (n, d), as stored
  std::vector<const std::byte*> rows;  // (n + kRowsAhead)

 private:
  int64_t bytes_;
  std::unique_ptr<std::byte[]> memory_;
};

/// A page of n random keys dimension by dimension.
class KeyPage {
 public:
  static constexpr int64_t kGap = 16;

  KeyPage(const Format& format, int64_t n, int64_t d, uint64_t seed)
      : values(normal(n * d, seed)),
        stride(format.bytes(kPageKeys) + kGap),
        bytes_(d * stride - kGap),
        memory_(nan_bytes(bytes_)) {
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < d; ++j) {
        std::byte* at = memory_.get() + j * stride + format.bytes(i);
        format.encode(&values[static_cast<size_t>(i * d + j)], at, 1);
        format.decode(at, &values[static_cast<size_t>(i * d + j)], 1);
      }
  }

  const std::byte* keys() const { return memory_.get(); }
  /// Where the memory ends: kernels may ask for the bytes there, not read them.
  NextPage next() const { return {memory_.get() + bytes_, bytes_}; }

  std::vector<float> values;  // (n, d), as stored
  int64_t stride;

 private:
  int64_t bytes_;
  std::unique_ptr<std::byte[]> memory_;
};

/// The wanted row of results, and how far off each may be.
struct Expected {
  std::vector<float> want;
  std::vector<double> limits;

  void add(double value, double limit) {
    want.push_back(static_cast<float>(value));
    limits.push_back(limit + std::abs(value) * 0x1p-24);
  }
  testing::AssertionResult matches(const float* got) const { return close_to({got, want.size()}, want, limits); }
};

/// How far a sum of n rounded terms wanders, in roundings of its terms' magnitudes.
inline double roundings(int64_t n) { return 2 + std::sqrt(static_cast<double>(n)); }

/// Row i of a matrix with rows of n.
template <class T>
std::span<const T> row_of(const std::vector<T>& matrix, int64_t i, int64_t n) {
  return std::span(matrix).subspan(static_cast<size_t>(i * n), static_cast<size_t>(n));
}

}  // namespace skald::test
