// Activations as a kernel wants them, with the numbers that they then stand for.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "base/checked.h"
#include "kernels/api/act_q16.h"
#include "kernels/api/act_q8.h"
#include "kernels/api/kernel_table.h"
#include "quant/bf16/block.h"
#include "tests/kernels/tier_test.h"

namespace skald::test {

inline int64_t act_row_bytes(ActFormat act, int64_t k) {
  switch (act) {
    case ActFormat::kF32:
      return k * 4;
    case ActFormat::kBf16:
      return round_up(k, 32) * 2;
    case ActFormat::kQ16:
      return act_q16_bytes(k);
    case ActFormat::kQ8:
      break;
  }
  return act_q8_bytes(k);
}

/// Rows of activations with some bytes of garbage after each.
struct Activations {
  static constexpr int64_t kGap = 64;

  /// x (m, k)
  Activations(ActFormat act, std::span<const float> x, int64_t m, int64_t k)
      : stride(act_row_bytes(act, k) + kGap),
        bytes(static_cast<size_t>(m * stride), std::byte{0xff}),
        values(x.begin(), x.end()) {
    for (int64_t t = 0; t < m; ++t) store_row(act, x.data() + t * k, bytes.data() + t * stride, values.data() + t * k, k);
  }

  int64_t stride;
  std::vector<std::byte> bytes;  // (m) rows, `stride` apart
  std::vector<double> values;    // (m, k)

 private:
  static void store_row(ActFormat act, const float* x, std::byte* out, double* values, int64_t k) {
    switch (act) {
      case ActFormat::kF32:
        std::memcpy(out, x, static_cast<size_t>(k) * 4);
        return;
      case ActFormat::kBf16:
        std::memset(out, 0, static_cast<size_t>(act_row_bytes(act, k)));
        for (int64_t i = 0; i < k; ++i) {
          const uint16_t half = f32_to_bf16(x[i]);
          std::memcpy(out + i * 2, &half, 2);
          values[i] = static_cast<double>(bf16_to_f32(half));
        }
        return;
      case ActFormat::kQ16:
        return store_q16(x, out, values, k);
      case ActFormat::kQ8:
        break;
    }
    scalar_kernels().quantize_q8(x, out, k);
    const auto* codes = reinterpret_cast<const int8_t*>(out);
    const auto* scales = reinterpret_cast<const float*>(out + k);
    for (int64_t i = 0; i < k; ++i) values[i] = static_cast<double>(scales[i / kActQ8Block]) * codes[i];
  }

  static void store_q16(const float* x, std::byte* out, double* values, int64_t k) {
    std::memset(out, 0, static_cast<size_t>(act_q16_bytes(k)));
    for (int64_t first = 0; first < k; first += kActQ16Block) {
      const int64_t n = std::min(kActQ16Block, k - first);
      float largest = 0;
      for (int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(x[first + i]));
      const float scale = largest / kActQ16Most;
      std::memcpy(out + act_q16_scales(k) + first / kActQ16Block * 4, &scale, 4);
      for (int64_t i = first; i < first + n; ++i) {
        const auto code = static_cast<int16_t>(std::lrint(scale > 0 ? x[i] * (1 / scale) : 0.0f));
        std::memcpy(out + i * 2, &code, 2);
        values[i] = static_cast<double>(scale) * code;
      }
    }
  }
};

}  // namespace skald::test
