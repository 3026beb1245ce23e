// Hadamard transform of a head's values: spreads numbers that are large in few dimensions over all, so that 4 and 8 bits
// lose less. Orthonormal and its own inverse; scores keep their value when queries and keys are both transformed. QuaRot,
// arXiv 2404.00456. Bound: arithmetic, n log2(block) additions.
#pragma once

#include "kernels/generic/elementwise.inl"

// Every lane's sum with the lane `half` further on, or the difference where it is itself the further one.
template <class V, int half, int... lane>
[[gnu::always_inline]] inline typename V::F butterfly_lanes(typename V::F x, std::integer_sequence<int, lane...>) {
  alignas(64) static constexpr float kSigns[] = {(lane & half ? -1.0f : 1.0f)...};
  return V::fma(x, V::load(kSigns), V::exchange(x, std::integral_constant<int, half>()));
}

// Blocks of up to V::kWidth, in a vector.
template <class V, int half = 1>
[[gnu::always_inline]] inline typename V::F hadamard_lanes(typename V::F x, int64_t block) {
  if constexpr (half == V::kWidth) {
    return x;
  } else {
    if (half >= block) return x;
    return hadamard_lanes<V, 2 * half>(butterfly_lanes<V, half>(x, std::make_integer_sequence<int, V::kWidth>()), block);
  }
}

template <class V>
[[gnu::always_inline]] inline void butterfly_rows(float* a, float* b, int64_t half) {
  for (int64_t i = 0; i < half; i += V::kWidth) {
    const typename V::F u = V::load(a + i), v = V::load(b + i);
    V::store(a + i, V::add(u, v));
    V::store(b + i, V::sub(u, v));
  }
}

template <class V>
void hadamard(float* x, int64_t n, int64_t block) noexcept {
  const typename V::F scale = V::set1(1.0f / __builtin_sqrtf(static_cast<float>(block)));
  int64_t i = 0;
  for (; i + V::kWidth <= n; i += V::kWidth) V::store(x + i, V::mul(hadamard_lanes<V>(V::load(x + i), block), scale));
  if (i < n) store_part<V>(x + i, V::mul(hadamard_lanes<V>(load_part<V>(x + i, n - i), block), scale), n - i);
  for (int64_t half = V::kWidth; half < block; half *= 2)
    for (int64_t at = 0; at < n; at += 2 * half) butterfly_rows<V>(x + at, x + at + half, half);
}
