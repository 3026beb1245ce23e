// Float rows to other formats: activations for matmuls, keys and values for the cache. Bound: memory bandwidth.
#pragma once

#include "kernels/generic/elementwise.inl"

template <class V>
[[gnu::always_inline]] inline void store_vector(BlockF32* p, typename V::F x) {
  V::store(&p->x, x);
}
template <class V>
[[gnu::always_inline]] inline void store_vector(BlockF16* p, typename V::F x) {
  V::store_f16(p, x);
}
template <class V>
[[gnu::always_inline]] inline void store_vector(BlockBf16* p, typename V::F x) {
  V::store_bf16(p, x);
}

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

template <class V>
void store_bf16(const float* x, void* y, int64_t n) noexcept {
  auto* out = static_cast<uint16_t*>(y);
  int64_t i = 0;
  for (; i + V::kWidth <= n; i += V::kWidth) V::store_bf16(out + i, V::load(x + i));
  if (i < n) {
    alignas(64) uint16_t tail[V::kWidth];
    V::store_bf16(tail, load_part<V>(x + i, n - i));
    std::memcpy(out + i, tail, static_cast<size_t>(n - i) * sizeof(uint16_t));
  }
}

// Rounded to nearest even, within +-127 so that the range is the same on both sides.
template <class V>
void store_i8(const float* x, void* y, int64_t n) noexcept {
  auto* out = static_cast<int8_t*>(y);
  const typename V::F lowest = V::set1(-127.0f);
  const auto codes = [&](typename V::F v, int8_t * to) __attribute__((always_inline)) {
    const typename V::F negative = V::sub(V::zero(), V::max(v, lowest));
    V::store_i8(to, V::sub(V::zero(), V::max(negative, lowest)));
  };
  int64_t i = 0;
  for (; i + V::kWidth <= n; i += V::kWidth) codes(V::load(x + i), out + i);
  if (i < n) {
    alignas(64) int8_t tail[V::kWidth];
    codes(load_part<V>(x + i, n - i), tail);
    std::memcpy(out + i, tail, static_cast<size_t>(n - i));
  }
}

// The unit of codes, and its inverse, by which values are multiplied: 0 where that may overflow.
template <class V>
struct BlockScale {
  float d;
  typename V::F inverse;
};

// d = max|x| / most of N values; part(i) gives those from i on. Not finite where one of them is not: rounding hides nothing.
template <class V, int N, class Part>
[[gnu::always_inline]] inline BlockScale<V> block_scale(Part part, float most) {
  typename V::F largest = V::zero();
  for (int i = 0; i < N; i += V::kWidth) largest = V::max_magnitude(largest, part(i));
  const float d = V::max_of_magnitudes(largest) / most;
  return {d, V::set1(d >= __FLT_MIN__ ? 1.0f / d : 0.0f)};
}

// The scale is max|x| / 127 before it is rounded to half; codes are rounded to nearest even.
template <class V>
void store_q8_0(const float* x, void* y, int64_t n) noexcept {
  auto* block = static_cast<BlockQ8_0*>(y);
  for (int64_t at = 0; at < n; at += BlockQ8_0::kSize, ++block) {
    const auto part = [&](int i) __attribute__((always_inline)) { return V::load(x + at + i); };
    const auto [d, inverse] = block_scale<V, BlockQ8_0::kSize>(part, 127.0f);
    for (int i = 0; i < BlockQ8_0::kSize; i += V::kWidth) V::store_i8(block->q + i, V::mul(part(i), inverse));
    block->d = V::to_half(d);
  }
}

// The value of the largest magnitude becomes the code -8; the others are rounded half up.
template <class V>
void store_q4_0(const float* x, void* y, int64_t n) noexcept {
  auto* block = static_cast<BlockQ4_0*>(y);
  for (int64_t at = 0; at < n; at += BlockQ4_0::kSize, ++block) {
    typename V::F highest = V::zero(), largest = V::zero();
    for (int i = 0; i < BlockQ4_0::kSize; i += V::kWidth) {
      highest = V::max(V::load(x + at + i), highest);
      largest = V::max_magnitude(largest, V::load(x + at + i));
    }
    const float magnitude = V::max_of_magnitudes(largest);  // not finite where a value is not
    const float d = (V::max_of(highest) == magnitude ? -magnitude : magnitude) / 8.0f;
    const float inverse = d >= __FLT_MIN__ || d <= -__FLT_MIN__ ? 1.0f / d : 0.0f;
    int8_t codes[BlockQ4_0::kSize];
    for (int i = 0; i < BlockQ4_0::kSize; i += V::kWidth)
      V::store_i8(codes + i, V::round_half_up(V::mul(V::load(x + at + i), V::set1(inverse))));
    for (int i = 0; i < 16; ++i) {
      const int low = codes[i] > 7 ? 15 : codes[i] + 8, high = codes[i + 16] > 7 ? 15 : codes[i + 16] + 8;
      block->q[i] = static_cast<uint8_t>(low | high << 4);
    }
    block->d = V::to_half(d);
  }
}

// A single key touches a line per dimension: all of them are asked for before the first is written.
template <class V, class B>
[[gnu::always_inline]] inline void store_dims_of_key(const StoreDimsArgs& a) {
  for (int64_t j = 0; j < a.d; ++j) __builtin_prefetch(a.keys + j * a.k_stride, 1);
  for (int64_t j = 0; j < a.d; j += V::kWidth) {
    const int64_t width = a.d - j < V::kWidth ? a.d - j : V::kWidth;
    alignas(64) B values[V::kWidth];
    store_vector<V>(values, load_part<V>(a.x + j, width));
    for (int64_t k = 0; k < width; ++k) *reinterpret_cast<B*>(a.keys + (j + k) * a.k_stride) = values[k];
  }
}

template <class V, class B>
void store_dims(const StoreDimsArgs& a) noexcept {
  if (a.n == 1) return store_dims_of_key<V, B>(a);
  const auto put = [&](int64_t i, int64_t j, int64_t keys) __attribute__((always_inline)) {
    typename V::F m[V::kWidth];
    const int64_t width = a.d - j < V::kWidth ? a.d - j : V::kWidth;
#pragma GCC unroll 16
    for (int k = 0; k < V::kWidth; ++k) m[k] = k < keys ? load_part<V>(a.x + (i + k) * a.x_stride + j, width) : V::zero();
    V::transpose(m);
    for (int k = 0; k < width; ++k) {
      std::byte* out = a.keys + (j + k) * a.k_stride + i * static_cast<int64_t>(sizeof(B));
      alignas(64) B column[V::kWidth];
      store_vector<V>(column, m[k]);
      std::memcpy(out, column, static_cast<size_t>(keys) * sizeof(B));
    }
  };
  for (int64_t i = 0; i < a.n; i += V::kWidth)
    for (int64_t j = 0; j < a.d; j += V::kWidth) put(i, j, a.n - i < V::kWidth ? a.n - i : V::kWidth);
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
  const ActQ8Row row(k);
  auto* scales = reinterpret_cast<float*>(q + row.scales);
  auto* starts = reinterpret_cast<int32_t*>(q + row.starts);
  auto* halves = reinterpret_cast<int32_t*>(q + row.halves);
  auto* totals = reinterpret_cast<float*>(q + row.totals);
  auto* negatives = reinterpret_cast<int32_t*>(q + row.negatives);
  for (int64_t b = 0; b < k / kActQ8Block; ++b) {
    const auto part = [&](int i) __attribute__((always_inline)) { return V::load(x + b * kActQ8Block + i); };
    const auto [d, inverse] = block_scale<V, kActQ8Block>(part, 127.0f);
    for (int i = 0; i < kActQ8Block; i += V::kWidth) V::store_i8(q + b * kActQ8Block + i, V::mul(part(i), inverse));
    scales[b] = d;
    int32_t first = 0, second = 0, negative = 0;
    for (int i = 0; i < kActQ8Block / 2; ++i) {
      const int32_t x1 = q[b * kActQ8Block + i], x2 = q[b * kActQ8Block + kActQ8Block / 2 + i];
      first += x1;
      second += x2;
      negative -= (x1 < 0 ? x1 : 0) + (x2 < 0 ? x2 : 0);
    }
    starts[b] = -128 * (first + second);
    halves[2 * b] = -128 * first;
    halves[2 * b + 1] = -128 * second;
    totals[b] = d * static_cast<float>(first + second);
    negatives[b] = negative;
  }
}
