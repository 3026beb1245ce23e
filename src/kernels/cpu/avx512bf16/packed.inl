// Matmul over panels of bf16 (quant/panels.h) and bf16 activations by VDPBF16PS: sums run over pairs of columns in order.
// Bound: read bandwidth for few tokens (each line is asked for 4 KB ahead), the dot product's throughput for many. Panels
// are read where they lie: nothing is unpacked.
#pragma once

#include "kernels/generic/packed.inl"

// sums += NP panels by NT tokens, pairs [0, pairs) of columns; x: the first token's.
template <int NP, int NT>
[[gnu::always_inline]] inline void panels_by_tokens_bf16(const GroupBf16* (&groups)[NP], const std::byte* x,
                                                         int64_t x_stride, int64_t pairs, bool prefetch,
                                                         __m512 (&sums)[NP][NT][1]) {
  for (int64_t c = 0; c < pairs; ++c) {
    __m512bh w[NP];
#pragma GCC unroll 4
    for (int p = 0; p < NP; ++p) {
      if (prefetch) prefetch_lines<V, 64>(groups[p] + c, kPrefetchBytes);
      w[p] = reinterpret_cast<__m512bh>(_mm512_loadu_si512(groups[p] + c));
    }
#pragma GCC unroll 16
    for (int t = 0; t < NT; ++t) {
      int32_t pair;
      std::memcpy(&pair, x + t * x_stride + c * 4, sizeof pair);
      const auto both = reinterpret_cast<__m512bh>(_mm512_set1_epi32(pair));
#pragma GCC unroll 4
      for (int p = 0; p < NP; ++p) sums[p][t][0] = _mm512_dpbf16_ps(sums[p][t][0], w[p], both);
    }
  }
}

// Pairs of columns of the chunk that begins at column c.
[[gnu::always_inline]] inline int64_t pairs_from(const PackedMatmulArgs& a, int64_t c) {
  return (a.k - c < kChunkColumns ? a.k - c + 1 : kChunkColumns) / 2;
}

// Few tokens by NP panels: whole rows.
template <int NP, int NT>
[[gnu::noinline]] void few_tokens_bf16(const PackedMatmulArgs& a, int64_t panel, int64_t t) {
  const GroupBf16* groups[NP];
  __m512 sums[NP][NT][1];
#pragma GCC unroll 4
  for (int p = 0; p < NP; ++p) {
    groups[p] = reinterpret_cast<const GroupBf16*>(a.panels + (panel + p) * a.panel_stride);
#pragma GCC unroll 16
    for (int i = 0; i < NT; ++i) sums[p][i][0] = _mm512_setzero_ps();
  }
  for (int64_t c = 0; c < a.k; c += kChunkColumns) {
    panels_by_tokens_bf16<NP, NT>(groups, piece_of(a, c, 2) + t * a.x_stride, a.x_stride, pairs_from(a, c), true, sums);
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
template <int NT>
inline constexpr int kSidePanelsBf16 = NT == 1   ? 4
                                       : NT <= 4 ? 2
                                                 : 1;

template <int NT>
[[gnu::always_inline]] inline void all_panels_bf16(const PackedMatmulArgs& a) {
  constexpr int NP = kSidePanelsBf16<NT>;
  const int64_t panels = (a.n + kPanelRows - 1) / kPanelRows;
  int64_t p = 0;
  for (; p + NP <= panels; p += NP) few_tokens_bf16<NP, NT>(a, p, 0);
  for (; p < panels; ++p) few_tokens_bf16<1, NT>(a, p, 0);
}

// One chunk of columns of the first two panels by NT tokens, from token t on.
template <int NT>
[[gnu::noinline]] void chunk_by_tokens_bf16(const PackedMatmulArgs& a, int64_t chunk, int64_t t) {
  const int64_t first = chunk * kChunkColumns;
  const auto* group = reinterpret_cast<const GroupBf16*>(a.panels) + first / 2;
  const GroupBf16* groups[2] = {
      group, reinterpret_cast<const GroupBf16*>(reinterpret_cast<const std::byte*>(group) + a.panel_stride)};
  float* y = a.y + t * a.y_stride;
  __m512 sums[2][NT][1];
#pragma GCC unroll 16
  for (int i = 0; i < NT; ++i)
#pragma GCC unroll 2
    for (int p = 0; p < 2; ++p)
      sums[p][i][0] = chunk ? _mm512_loadu_ps(y + i * a.y_stride + p * kPanelRows) : _mm512_setzero_ps();
  panels_by_tokens_bf16<2, NT>(groups, piece_of(a, first, 2) + t * a.x_stride, a.x_stride, pairs_from(a, first), false,
                               sums);
#pragma GCC unroll 16
  for (int i = 0; i < NT; ++i)
#pragma GCC unroll 2
    for (int p = 0; p < 2; ++p) _mm512_storeu_ps(y + i * a.y_stride + p * kPanelRows, sums[p][i][0]);
}

// Many tokens by the first two panels.
void two_panels_bf16(const PackedMatmulArgs& a) {
  for (int64_t chunk = 0; chunk * kChunkColumns < a.k; ++chunk) {
    int64_t t = 0;
    for (; t + 12 <= a.m; t += 12) chunk_by_tokens_bf16<12>(a, chunk, t);
    for (; t + 4 <= a.m; t += 4) chunk_by_tokens_bf16<4>(a, chunk, t);
    for (; t < a.m; ++t) chunk_by_tokens_bf16<1>(a, chunk, t);
  }
}

void many_tokens_bf16(const PackedMatmulArgs& a) {
  by_row_tiles<2 * kPanelRows>(
      a, [](PackedMatmulArgs part, int64_t row) __attribute__((always_inline)) {
        part.panels += row / kPanelRows * part.panel_stride;
        if (part.n - row <= kPanelRows) part.panel_stride = 0;  // the only panel twice
        two_panels_bf16(part);
      });
}

void packed_matmul_bf16(const PackedMatmulArgs& a) noexcept {
  if (a.m <= kPassTokens<V>) {
    with_constant<kPassTokens<V>>(
        a.m, [&]<int NT>() __attribute__((always_inline)) { all_panels_bf16<NT>(a); });
  } else if (a.m <= kFewTokens) {
    for (int64_t panel = 0; panel * kPanelRows < a.n; ++panel)
      for (int64_t t = 0; t < a.m; t += kPassTokens<V>)
        with_constant<kPassTokens<V>>(
            a.m - t < kPassTokens<V> ? a.m - t : kPassTokens<V>, [&]<int NT>() __attribute__((always_inline)) {
              few_tokens_bf16<1, NT>(a, panel, t);
            });
  } else {
    many_tokens_bf16(a);
  }
}
