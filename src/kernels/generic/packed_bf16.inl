// Matmul over panels of bf16 (quant/panels.h) and bf16 activations, on tiers whose V multiplies pairs of them: sums run over
// pairs of columns in order.
// Bound: read bandwidth for few tokens (each line is asked for 4 KB ahead), the dot product's throughput for many. Panels
// are read where they lie: nothing is unpacked.
#pragma once

#include "kernels/generic/packed.inl"

template <class V>
inline constexpr int kVectorsOfPanel = kPanelRows / V::kWidth;

// sums += NP panels by NT tokens, pairs [0, pairs) of columns; x: the first token's.
template <class V, int NP, int NT>
[[gnu::always_inline]] inline void panels_by_tokens_bf16(const GroupBf16* (&groups)[NP], const std::byte* x,
                                                         int64_t x_stride, int64_t pairs, bool prefetch,
                                                         typename V::F (&sums)[NP][NT][kVectorsOfPanel<V>]) {
  for (int64_t c = 0; c < pairs; ++c) {
    typename V::W w[NP][kVectorsOfPanel<V>];
#pragma GCC unroll 4
    for (int p = 0; p < NP; ++p) {
      if (prefetch) prefetch_lines<V, 64>(groups[p] + c, kPrefetchBytes);
#pragma GCC unroll 2
      for (int v = 0; v < kVectorsOfPanel<V>; ++v) w[p][v] = V::load_w(groups[p][c].x[v * V::kWidth]);
    }
#pragma GCC unroll 16
    for (int t = 0; t < NT; ++t) {
      int32_t pair;
      std::memcpy(&pair, x + t * x_stride + c * 4, sizeof pair);
      const typename V::W both = V::set1_w(pair);
#pragma GCC unroll 4
      for (int p = 0; p < NP; ++p)
#pragma GCC unroll 2
        for (int v = 0; v < kVectorsOfPanel<V>; ++v) sums[p][t][v] = V::dot_bf16(sums[p][t][v], w[p][v], both);
    }
  }
}

// Pairs of columns of the chunk that begins at column c.
[[gnu::always_inline]] inline int64_t pairs_from(const PackedMatmulArgs& a, int64_t c) {
  return (a.k - c < kChunkColumns ? a.k - c + 1 : kChunkColumns) / 2;
}

// Few tokens by NP panels: whole rows.
template <class V, int NP, int NT>
[[gnu::noinline]] void few_tokens_bf16(const PackedMatmulArgs& a, int64_t panel, int64_t t) {
  const GroupBf16* groups[NP];
  typename V::F sums[NP][NT][kVectorsOfPanel<V>];
#pragma GCC unroll 4
  for (int p = 0; p < NP; ++p) {
    groups[p] = reinterpret_cast<const GroupBf16*>(a.panels + (panel + p) * a.panel_stride);
#pragma GCC unroll 16
    for (int i = 0; i < NT; ++i)
#pragma GCC unroll 2
      for (int v = 0; v < kVectorsOfPanel<V>; ++v) sums[p][i][v] = V::zero();
  }
  for (int64_t c = 0; c < a.k; c += kChunkColumns) {
    panels_by_tokens_bf16<V, NP, NT>(groups, piece_of(a, c, 2) + t * a.x_stride, a.x_stride, pairs_from(a, c), true, sums);
#pragma GCC unroll 4
    for (int p = 0; p < NP; ++p) groups[p] += kChunkColumns / 2;
  }
#pragma GCC unroll 4
  for (int p = 0; p < NP; ++p) {
    const int64_t row = (panel + p) * kPanelRows;
    store_sums<V>(sums[p], a.y + t * a.y_stride + row, a.y_stride, a.n - row);
  }
}

// A single token's sums are chains that wait for each other: several panels side by side.
template <class V, int NT>
inline constexpr int kSidePanelsBf16 = NT == 1   ? 4
                                       : NT <= 4 ? 2 * V::kWidth / static_cast<int>(kPanelRows)
                                                 : 1;

template <class V, int NT>
[[gnu::always_inline]] inline void all_panels_bf16(const PackedMatmulArgs& a) {
  constexpr int NP = kSidePanelsBf16<V, NT>;
  const int64_t panels = (a.n + kPanelRows - 1) / kPanelRows;
  int64_t p = 0;
  for (; p + NP <= panels; p += NP) few_tokens_bf16<V, NP, NT>(a, p, 0);
  for (; p < panels; ++p) few_tokens_bf16<V, 1, NT>(a, p, 0);
}

// One chunk of columns of the first NP panels by NT tokens, from token t on.
template <class V, int NP, int NT>
[[gnu::noinline]] void chunk_by_tokens_bf16(const PackedMatmulArgs& a, int64_t chunk, int64_t t) {
  const int64_t first = chunk * kChunkColumns;
  const auto* group = reinterpret_cast<const GroupBf16*>(a.panels) + first / 2;
  const GroupBf16* groups[NP];
#pragma GCC unroll 2
  for (int p = 0; p < NP; ++p)
    groups[p] = reinterpret_cast<const GroupBf16*>(reinterpret_cast<const std::byte*>(group) + p * a.panel_stride);
  float* y = a.y + t * a.y_stride;
  typename V::F sums[NP][NT][kVectorsOfPanel<V>];
  const auto each = [&](auto fn) __attribute__((always_inline)) {
#pragma GCC unroll 16
    for (int i = 0; i < NT; ++i)
#pragma GCC unroll 2
      for (int p = 0; p < NP; ++p)
#pragma GCC unroll 2
        for (int v = 0; v < kVectorsOfPanel<V>; ++v) fn(sums[p][i][v], y + i * a.y_stride + p * kPanelRows + v * V::kWidth);
  };
  each([&](typename V::F & sum, const float* at) __attribute__((always_inline)) { sum = chunk ? V::load(at) : V::zero(); });
  panels_by_tokens_bf16<V, NP, NT>(groups, piece_of(a, first, 2) + t * a.x_stride, a.x_stride, pairs_from(a, first), false,
                                   sums);
  each([](typename V::F sum, float* at) __attribute__((always_inline)) { V::store(at, sum); });
}

// Many tokens by the first NP panels, whose sums with a tile of tokens fill the registers.
template <class V, int NP, int NT>
void few_panels_bf16(const PackedMatmulArgs& a) {
  for (int64_t chunk = 0; chunk * kChunkColumns < a.k; ++chunk) {
    int64_t t = 0;
    for (; t + NT <= a.m; t += NT) chunk_by_tokens_bf16<V, NP, NT>(a, chunk, t);
    for (; t + 4 <= a.m; t += 4) chunk_by_tokens_bf16<V, NP, 4>(a, chunk, t);
    for (; t < a.m; ++t) chunk_by_tokens_bf16<V, NP, 1>(a, chunk, t);
  }
}

template <class V>
void many_tokens_bf16(const PackedMatmulArgs& a) {
  constexpr int NP = V::kWidth == kPanelRows ? 2 : 1, NT = V::kWidth == kPanelRows ? 12 : 6;
  by_row_tiles<NP * kPanelRows>(
      a, [](PackedMatmulArgs part, int64_t row) __attribute__((always_inline)) {
        part.panels += row / kPanelRows * part.panel_stride;
        if (part.n - row <= kPanelRows) part.panel_stride = 0;  // the only panel for all of them
        few_panels_bf16<V, NP, NT>(part);
      });
}

template <Bf16Dots V>
void packed_matmul_bf16(const PackedMatmulArgs& a) noexcept {
  if (a.m <= kPassTokens<V>) {
    with_constant<kPassTokens<V>>(
        a.m, [&]<int NT>() __attribute__((always_inline)) { all_panels_bf16<V, NT>(a); });
  } else if (a.m <= kFewTokens) {
    for (int64_t panel = 0; panel * kPanelRows < a.n; ++panel)
      for (int64_t t = 0; t < a.m; t += kPassTokens<V>)
        with_constant<kPassTokens<V>>(
            a.m - t < kPassTokens<V> ? a.m - t : kPassTokens<V>, [&]<int NT>() __attribute__((always_inline)) {
              few_tokens_bf16<V, 1, NT>(a, panel, t);
            });
  } else {
    many_tokens_bf16<V>(a);
  }
}
