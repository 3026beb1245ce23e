// Matmul over panels of f32, f16 or bf16 (quant/panels.h) and float activations. Sums run over the columns in order.
// Bound: for few tokens the read bandwidth of the weights (each line is asked for 4 KB ahead), for many the peak of fused
// multiply-adds.
#pragma once

#include "kernels/generic/packed.inl"
#include "kernels/generic/panels.inl"

// Panels that are read side by side: a single token's sums are chains of their own, which wait for each other.
template <class V, int NT>
inline constexpr int kSidePanels = NT == 1   ? 4
                                   : NT <= 4 ? 2 * V::kWidth / kPanelRows
                                             : 1;

// NP panels by NT tokens.
template <class V, class B, int NP, int NT>
[[gnu::noinline]] void panels_by_tokens(const PackedMatmulArgs& a, int64_t panel, int64_t t) {
  using Group = typename B::Group;
  constexpr int NV = kPanelRows / V::kWidth;
  const Group* groups[NP];
  typename V::F sums[NP][NT][NV];
#pragma GCC unroll 8
  for (int p = 0; p < NP; ++p) {
    groups[p] = reinterpret_cast<const Group*>(a.panels + (panel + p) * a.panel_stride);
#pragma GCC unroll 8
    for (int i = 0; i < NT; ++i)
#pragma GCC unroll 2
      for (int v = 0; v < NV; ++v) sums[p][i][v] = V::zero();
  }
  // Column c, which is column `at` of the piece of activations x.
  const auto column = [&](int64_t c, const std::byte* x, int64_t at) __attribute__((always_inline)) {
    typename V::F factor[NT];
#pragma GCC unroll 8
    for (int i = 0; i < NT; ++i) factor[i] = V::set1(reinterpret_cast<const float*>(x + i * a.x_stride)[at]);
#pragma GCC unroll 8
    for (int p = 0; p < NP; ++p)
#pragma GCC unroll 2
      for (int v = 0; v < NV; ++v) {
        const typename V::F w = load_column<V>(groups[p], c, v * V::kWidth);
#pragma GCC unroll 8
        for (int i = 0; i < NT; ++i) sums[p][i][v] = V::fma(w, factor[i], sums[p][i][v]);
      }
  };
  const int64_t ahead = NT == 1 && NP > 1 ? a.ahead : kPrefetchBytes;
  constexpr int kUnroll = 4;  // columns: whole lines of every format
  constexpr size_t kBytes = kUnroll / Group::kColumns * sizeof(Group);
  const AskedAhead<NP> asks(a, panel, ahead, kBytes);
  for (int64_t first = 0; first < a.k; first += kChunkColumns) {
    const int64_t n = a.k - first < kChunkColumns ? a.k - first : kChunkColumns;
    const std::byte* x = piece_of(a, first, sizeof(float)) + t * a.x_stride;
    int64_t c = 0;
    for (; c + kUnroll <= n; c += kUnroll) {
      if (ahead > 0)
#pragma GCC unroll 8
        for (int p = 0; p < NP; ++p)
          prefetch_lines<V, kBytes>(groups[p] + (first + c) / Group::kColumns, asks.at((first + c) / kUnroll));
#pragma GCC unroll 4
      for (int j = 0; j < kUnroll; ++j) column(first + c + j, x, c + j);
    }
    for (; c < n; ++c) column(first + c, x, c);
  }
#pragma GCC unroll 8
  for (int p = 0; p < NP; ++p) {
    const int64_t row = (panel + p) * kPanelRows;
    store_sums<V>(sums[p], a.y + t * a.y_stride + row, a.y_stride, a.n - row);
  }
}

// NT tokens by all panels.
template <class V, class B, int NT>
[[gnu::always_inline]] inline void all_panels_by_tokens(const PackedMatmulArgs& a) {
  constexpr int NP = kSidePanels<V, NT>;
  const int64_t panels = (a.n + kPanelRows - 1) / kPanelRows;
  int64_t p = 0;
  for (; p + NP <= panels; p += NP) panels_by_tokens<V, B, NP, NT>(a, p, 0);
  for (; p < panels; ++p) panels_by_tokens<V, B, 1, NT>(a, p, 0);
}

template <class V, class B>
void few_tokens_float(const PackedMatmulArgs& a) {
  if (a.m <= kPassTokens<V>) {
    with_constant<kPassTokens<V>>(
        a.m, [&]<int NT>() __attribute__((always_inline)) { all_panels_by_tokens<V, B, NT>(a); });
    return;
  }
  for (int64_t panel = 0; panel * kPanelRows < a.n; ++panel)  // comes from memory once, for further passes from the cache
    for (int64_t t = 0; t < a.m; t += kPassTokens<V>)
      with_constant<kPassTokens<V>>(
          a.m - t < kPassTokens<V> ? a.m - t : kPassTokens<V>, [&]<int NT>() __attribute__((always_inline)) {
            panels_by_tokens<V, B, 1, NT>(a, panel, t);
          });
}

// Columns [c, c + n) of the rows [row, row + kPanel) as floats (n, kPanel); rows beyond the last panel repeat those of the
// last.
template <class V, class B>
[[gnu::noinline]] void unpack_columns(const PackedMatmulArgs& a, int64_t row, int64_t c, int64_t n, float* out) {
  const int64_t last = (a.n - 1) / kPanelRows;
  for (int64_t r = 0; r < kPanel; r += kPanelRows) {
    const int64_t panel = (row + r) / kPanelRows < last ? (row + r) / kPanelRows : last;
    const auto* groups = reinterpret_cast<const typename B::Group*>(a.panels + panel * a.panel_stride);
    for (int64_t j = 0; j < n; ++j)
      for (int v = 0; v < kPanelRows; v += V::kWidth) V::store(out + j * kPanel + r + v, load_column<V>(groups, c + j, v));
  }
}

// Rows [row, row + kPanel) by all tokens, into a.y (m, kPanel).
template <class V, class B>
[[gnu::always_inline]] inline void panel_rows_by_tokens(const PackedMatmulArgs& a, int64_t row) {
  alignas(64) float columns[kChunkColumns * kPanel];
  for (int64_t c = 0; c < a.k; c += kChunkColumns) {
    const int64_t n = a.k - c < kChunkColumns ? a.k - c : kChunkColumns;
    unpack_columns<V, B>(a, row, c, n, columns);
    panel_gemm<V>({.a = reinterpret_cast<const float*>(piece_of(a, c, sizeof(float))),
                   .a_stride = a.x_stride / static_cast<int64_t>(sizeof(float)),
                   .b = columns,
                   .c = a.y,
                   .c_stride = a.y_stride,
                   .m = a.m,
                   .k = n,
                   .panels = 1,
                   .add = c > 0});
  }
}

// Many tokens: weights are unpacked into the cache once for all of them.
template <class V, class B>
void many_tokens_float(const PackedMatmulArgs& a) {
  by_row_tiles<kPanel>(
      a, [](const PackedMatmulArgs& part, int64_t row)
             __attribute__((always_inline)) { panel_rows_by_tokens<V, B>(part, row); });
}

template <class V, class B>
void packed_matmul_float(const PackedMatmulArgs& a) noexcept {
  a.m <= kFewTokens ? few_tokens_float<V, B>(a) : many_tokens_float<V, B>(a);
}
