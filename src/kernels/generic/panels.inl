// Prefill's attention on floats: a page's keys and values as panels, and the matrix product over them.
// Bound: the peak of fused multiply-adds; unpacking is paid once for all queries of a tile.
#pragma once

#include "kernels/generic/cache_rows.inl"

// Keys in rows become columns: panel i / kPanel, dimension j, column i % kPanel.
template <class V, class B>
void unpack_key_rows(const UnpackArgs& a) noexcept {
  const auto tile = [&](int64_t i, int64_t j) __attribute__((always_inline)) {
    typename V::F m[V::kWidth];
    const int64_t width = a.d - j;
#pragma GCC unroll 16
    for (int k = 0; k < V::kWidth; ++k) {
      if (i + k >= a.n)
        m[k] = V::zero();
      else
        m[k] = width >= V::kWidth ? load_columns<V, B>(a.rows[i + k], j) : load_last_columns<V, B>(a.rows[i + k], j, width);
    }
    V::transpose(m);
    float* out = a.panels + (i / kPanel * a.d + j) * kPanel + i % kPanel;
    for (int k = 0; k < V::kWidth && k < width; ++k) V::store(out + k * kPanel, m[k]);
  };
  for (int64_t i = 0; i < kPageKeys; i += V::kWidth)
    for (int64_t j = 0; j < a.d; j += V::kWidth) tile(i, j);
}

template <class V, class B>
void unpack_key_dims(const UnpackArgs& a) noexcept {
  for (int64_t j = 0; j < a.d; ++j)
    for (int64_t i = 0; i < kPageKeys; i += V::kWidth)
      V::store(a.panels + (i / kPanel * a.d + j) * kPanel + i % kPanel, load_columns<V, B>(a.keys + j * a.k_stride, i));
}

// Panel c / kPanel, key i, column c % kPanel.
template <class V, class B>
void unpack_values(const UnpackArgs& a) noexcept {
  const int64_t width = (a.d + kPanel - 1) / kPanel * kPanel;
  for (int64_t i = 0; i < kPageKeys; ++i)
    for (int64_t c = 0; c < width; c += V::kWidth) {
      typename V::F x = V::zero();
      if (i < a.n && c + V::kWidth <= a.d)
        x = load_columns<V, B>(a.rows[i], c);
      else if (i < a.n && c < a.d)
        x = load_last_columns<V, B>(a.rows[i], c, a.d - c);
      V::store(a.panels + (c / kPanel * kPageKeys + i) * kPanel + c % kPanel, x);
    }
}

// M rows by one panel. Meanwhile the next M come into the nearest cache, where rows follow each other without gaps.
template <class V, int M>
[[gnu::always_inline]] inline void gemm_tile(const PanelGemmArgs& a, const float* b, int64_t row, float* c) {
  constexpr int N = static_cast<int>(kPanel) / V::kWidth < 2 ? 1 : 2, kPasses = static_cast<int>(kPanel) / V::kWidth / N;
  constexpr int kUnroll = 4;  // columns
  constexpr size_t kAhead = kUnroll * M * sizeof(float);
  const float* x = a.a + row * a.a_stride;
  for (int pass = 0; pass < kPasses; ++pass, b += N * V::kWidth, c += N * V::kWidth) {
    typename V::F acc[M][N];
#pragma GCC unroll 16
    for (int r = 0; r < M; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < N; ++v) acc[r][v] = a.add ? V::load(c + r * a.c_stride + v * V::kWidth) : V::zero();
    const auto column = [&](int64_t k) __attribute__((always_inline)) {
      typename V::F y[N];
#pragma GCC unroll 4
      for (int v = 0; v < N; ++v) y[v] = V::load(b + k * kPanel + v * V::kWidth);
#pragma GCC unroll 16
      for (int r = 0; r < M; ++r) {
        const typename V::F s = V::set1(x[r * a.a_stride + k]);
#pragma GCC unroll 4
        for (int v = 0; v < N; ++v) acc[r][v] = V::fma(s, y[v], acc[r][v]);
      }
    };
    const auto* next = reinterpret_cast<const std::byte*>(x + M * a.a_stride);
    int64_t k = 0;
    for (; k + kUnroll <= a.k; k += kUnroll, next += kAhead) {
      if (pass == 0)
#pragma GCC unroll 4
        for (size_t line = 0; line < kAhead; line += 64) __builtin_prefetch(next + line);
#pragma GCC unroll 4
      for (int j = 0; j < kUnroll; ++j) column(k + j);
    }
    for (; k < a.k; ++k) column(k);
#pragma GCC unroll 16
    for (int r = 0; r < M; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < N; ++v) V::store(c + r * a.c_stride + v * V::kWidth, acc[r][v]);
  }
}

template <class V>
void panel_gemm(const PanelGemmArgs& a) noexcept {
  for (int64_t p = 0; p < a.panels; ++p) {
    const float* b = a.b + p * a.k * kPanel;
    float* c = a.c + p * kPanel;
    int64_t r = 0;
    for (; r + V::kGemmRows <= a.m; r += V::kGemmRows) gemm_tile<V, V::kGemmRows>(a, b, r, c + r * a.c_stride);
    for (; r + 4 <= a.m; r += 4) gemm_tile<V, 4>(a, b, r, c + r * a.c_stride);
    for (; r + 2 <= a.m; r += 2) gemm_tile<V, 2>(a, b, r, c + r * a.c_stride);
    if (r < a.m) gemm_tile<V, 1>(a, b, r, c + r * a.c_stride);
  }
}
