// Float rows to other formats: activations for matmuls, keys and values for the cache. Bound: memory bandwidth.
#pragma once

#include "kernels/generic/elementwise.inl"

template <class V>
void store_f32(const float* x, void* y, int64_t n) noexcept {
  std::memcpy(y, x, static_cast<size_t>(n) * sizeof(float));
}

template <class V>
void store_f16(const float* x, void* y, int64_t n) noexcept {
  auto* out = static_cast<uint16_t*>(y);
  int64_t i = 0;
  for (; i + V::kWidth <= n; i += V::kWidth) V::store_f16(out + i, V::load(x + i));
  if (i < n) {
    alignas(64) uint16_t tail[V::kWidth];
    V::store_f16(tail, load_part<V>(x + i, n - i));
    std::memcpy(out + i, tail, static_cast<size_t>(n - i) * sizeof(uint16_t));
  }
}

// Padded with zeros to a multiple of 32 values.
template <class V>
void to_bf16(const float* x, void* y, int64_t n) noexcept {
  auto* out = static_cast<uint16_t*>(y);
  const int64_t padded = (n + 31) / 32 * 32;
  int64_t i = 0;
  for (; i + V::kWidth <= n; i += V::kWidth) V::store_bf16(out + i, V::load(x + i));
  for (; i < padded; i += V::kWidth) V::store_bf16(out + i, i < n ? load_part<V>(x + i, n - i) : V::zero());
}

// Layout: act_q8.h. The scale is max|x| / 127; codes are rounded to nearest even, and 0 where the scale is denormal (its
// inverse may overflow). The same numbers on every tier.
template <class V>
void quantize_q8(const float* x, void* y, int64_t k) noexcept {
  auto* q = static_cast<int8_t*>(y);
  auto* scales = reinterpret_cast<float*>(q + k);
  float* sums = scales + k / kActQ8Block;
  for (int64_t b = 0; b < k / kActQ8Block; ++b) {
    const float* block = x + b * kActQ8Block;
    typename V::F largest = V::zero();
    for (int i = 0; i < kActQ8Block; i += V::kWidth) largest = V::max(V::abs_f(V::load(block + i)), largest);
    const float d = V::max_of(largest) / 127.0f;
    const typename V::F inverse = V::set1(d >= __FLT_MIN__ ? 1.0f / d : 0.0f);
    for (int i = 0; i < kActQ8Block; i += V::kWidth)
      V::store_i8(q + b * kActQ8Block + i, V::mul(V::load(block + i), inverse));
    scales[b] = d;
    int32_t sum = 0;
    for (int i = 0; i < kActQ8Block; ++i) sum += q[b * kActQ8Block + i];
    sums[b] = static_cast<float>(sum);
  }
}
