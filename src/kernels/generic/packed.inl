// What matmuls over panels (quant/panels.h) have in common.
#pragma once

#include "kernels/generic/elementwise.inl"
#include "kernels/generic/prefetch.inl"

template <class V>
inline constexpr int kPassTokens = V::kWidth / 2;  // whose sums fit into registers beside a panel's vectors
inline constexpr int64_t kTokenBlock = 512;        // of many tokens, those that share what is unpacked

// Where column c, a multiple of kChunkColumns, of the first token lies, of activations of `size` bytes.
[[gnu::always_inline]] inline const std::byte* piece_of(const PackedMatmulArgs& a, int64_t c, int64_t size) {
  return a.x + (a.x_chunk ? c / kChunkColumns * a.x_chunk : c * size);
}

// Calls f with the constant that n is, 1 to N.
template <int N, class F>
[[gnu::always_inline]] inline void with_constant(int64_t n, F f) {
  if constexpr (N > 0) {
    if (n == N)
      f.template operator()<N>();
    else
      with_constant<N - 1>(n, f);
  }
}

// The sums of one panel's rows: the first `rows` of 16 are written.
template <class V, int NT, int NV>
[[gnu::always_inline]] inline void store_sums(const typename V::F (&sums)[NT][NV], float* y, int64_t y_stride,
                                              int64_t rows) {
#pragma GCC unroll 8
  for (int t = 0; t < NT; ++t)
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) {
      const int64_t left = rows - v * V::kWidth;
      if (left >= V::kWidth)
        V::store(y + t * y_stride + v * V::kWidth, sums[t][v]);
      else if (left > 0)
        store_part<V>(y + t * y_stride + v * V::kWidth, sums[t][v], left);
    }
}
