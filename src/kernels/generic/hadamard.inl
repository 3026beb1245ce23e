// Hadamard transform of a head's values: spreads what is large in few dimensions over all, so that 4 and 8 bits lose less.
// Orthonormal and its own inverse; scores keep their value when queries and keys are both transformed. QuaRot, arXiv
// 2404.00456. Bound: arithmetic, n log2(block) additions.
#pragma once

#include "kernels/generic/elementwise.inl"

template <class V>
void hadamard(float* x, int64_t n, int64_t block) noexcept {
  for (int64_t half = 1; half < block; half *= 2) {
    for (int64_t at = 0; at < n; at += 2 * half) {
      float *a = x + at, *b = a + half;
      int64_t i = 0;
      for (; i + V::kWidth <= half; i += V::kWidth) {
        const typename V::F u = V::load(a + i), v = V::load(b + i);
        V::store(a + i, V::add(u, v));
        V::store(b + i, V::sub(u, v));
      }
      for (; i < half; ++i) {
        const float u = a[i], v = b[i];
        a[i] = u + v;
        b[i] = u - v;
      }
    }
  }
  const float scale = 1.0f / __builtin_sqrtf(static_cast<float>(block));
  for (int64_t i = 0; i < n; ++i) x[i] *= scale;
}
