// Cached rows in blocks: how numbers become codes and scales, and the Hadamard transform that rows have before, which
// spreads large numbers over all (kernels/generic/hadamard.inl).
#pragma once

#include "kernels/gpu/cache.inl"

namespace skald::gpu {

/// x (n) in shared memory, n a multiple of 32. By all threads of the block.
SIMT_DEV void hadamard(float* x, int64_t n) {
  const int64_t block = n & -n;  // the largest power of two that divides n
  for (int64_t half = 1; half < block; half *= 2) {
    simt::sync_block();
    for (int64_t i = simt::thread(); i < n / 2; i += simt::threads()) {
      const int64_t at = i / half * 2 * half + i % half;
      const float a = x[at], b = x[at + half];
      x[at] = a + b;
      x[at + half] = a - b;
    }
  }
  simt::sync_block();
  const float factor = simt::inv_sqrt(static_cast<float>(block));
  for (int64_t i = simt::thread(); i < n; i += simt::threads()) x[i] *= factor;
  simt::sync_block();
}

/// to (columns, in shared memory) = factor x (n), filled up with zeros and transformed. By all threads of the block.
SIMT_DEV void load_row(const float* x, int64_t n, float factor, int64_t columns, bool rotated, float* to) {
  simt::sync_block();
  for (int64_t i = simt::thread(); i < columns; i += simt::threads()) to[i] = i < n ? x[i] * factor : 0;
  if (rotated)
    hadamard(to, columns);
  else
    simt::sync_block();
}

/// The largest magnitude of a block. What is no number is larger than all others: rounding hides nothing.
SIMT_DEV float block_magnitude(const float* x) {
  uint32_t largest = 0;
  for (int64_t i = 0; i < kCachedBlock; ++i) largest = at_least(largest, simt::as_bits(simt::magnitude(x[i])));
  return simt::as_float(largest);
}

/// By which numbers are multiplied: 0 where the inverse of the unit may overflow.
SIMT_DEV float inverse_of(float d) {
  constexpr float kLeast = 1.17549435e-38f;
  return simt::magnitude(d) >= kLeast ? 1 / d : 0;
}

/// No code for what is no number: the unit tells.
SIMT_DEV float finite_or_0(float x) { return x == x ? x : 0; }

/// Codes of 8 bits, of which four make a word.
SIMT_DEV void store_block_q8_0(const float* x, simt::Words4* codes, simt::F16& scale) {
  const float d = block_magnitude(x) / 127, inverse = inverse_of(d);
  const auto code = [&](int i) { return static_cast<uint32_t>(simt::round_int(finite_or_0(x[i] * inverse))) & 255; };
  for (int half = 0; half < 2; ++half) {
    simt::Words4 words;
    for (int w = 0; w < 4; ++w) {
      const int at = half * 16 + w * 4;
      words.w[w] = code(at) | code(at + 1) << 8 | code(at + 2) << 16 | code(at + 3) << 24;
    }
    codes[half] = words;
  }
  scale = simt::to_f16(d);
}

/// The number of the largest magnitude becomes the code 0, which is -8; others are rounded half up.
SIMT_DEV void store_block_q4_0(const float* x, simt::Words4* codes, simt::F16& scale) {
  const float magnitude = block_magnitude(x);
  float highest = 0;
  for (int64_t i = 0; i < kCachedBlock; ++i) highest = simt::largest(x[i], highest);
  const float d = (highest == magnitude ? -magnitude : magnitude) / 8, inverse = inverse_of(d);
  const auto pair = [&](int i) {
    const auto code = [&](int at) {
      return static_cast<uint32_t>(at_most(static_cast<int>(finite_or_0(x[at] * inverse) + 8.5f), 15));
    };
    return code(i) | code(i + 16) << 4;
  };
  simt::Words4 words;
  for (int w = 0; w < 4; ++w)
    words.w[w] = pair(4 * w) | pair(4 * w + 1) << 8 | pair(4 * w + 2) << 16 | pair(4 * w + 3) << 24;
  *codes = words;
  scale = simt::to_f16(d);
}

/// x (columns), in shared memory. By all threads of the block.
SIMT_DEV void store_blocks(const float* x, int64_t columns, const Cached& to) {
  auto* codes = reinterpret_cast<simt::Words4*>(to.data);
  for (int64_t i = simt::thread(); i < columns / kCachedBlock; i += simt::threads()) {
    if (to.format == GpuQ8_0::kId)
      store_block_q8_0(x + i * kCachedBlock, codes + 2 * i, to.scales()[i]);
    else
      store_block_q4_0(x + i * kCachedBlock, codes + i, to.scales()[i]);
  }
}

}  // namespace skald::gpu
