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

// Many tokens: body(row, t, m, y, y_stride) for blocks of m tokens from t on by tiles of kRows rows, whose products go to
// y (m, kRows); of the last rows, fewer than a tile, those that there are.
template <int64_t kRows, class Body>
[[gnu::always_inline]] inline void by_row_tiles(const PackedMatmulArgs& a, Body body) {
  for (int64_t t = 0; t < a.m; t += kTokenBlock) {
    const int64_t m = a.m - t < kTokenBlock ? a.m - t : kTokenBlock;
    int64_t row = 0;
    for (; row + kRows <= a.n; row += kRows) body(row, t, m, a.y + t * a.y_stride + row, a.y_stride);
    if (row == a.n) continue;
    alignas(64) float last[kTokenBlock * kRows];
    body(row, t, m, last, kRows);
    for (int64_t i = 0; i < m; ++i)
      std::memcpy(a.y + (t + i) * a.y_stride + row, last + i * kRows, static_cast<size_t>(a.n - row) * sizeof(float));
  }
}
