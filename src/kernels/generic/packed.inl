// Shared by matmuls over panels (quant/panels.h).
#pragma once

#include "kernels/generic/elementwise.inl"
#include "kernels/generic/prefetch.inl"

template <class V>
inline constexpr int kPassTokens = V::kWidth / 2;  // whose sums fit into registers beside a panel's vectors
inline constexpr int64_t kTokenBlock = 512;        // of many tokens, those that share unpacked weights

// Panels that are to be read side by side, while NP before them are computed with one after the other.
template <int NP>
struct PanelsAhead {
  const std::byte* first;  // of the next NP panels: the part whose turn it is
  int64_t stride;

  // While the p-th of the NP panels from `panel` on is computed with.
  [[gnu::always_inline]] PanelsAhead(const PackedMatmulArgs& a, int64_t panel, int p)
      : first(a.panels + (panel + NP) * a.panel_stride + p * a.panel_stride / NP), stride(a.panel_stride) {}

  // Asks for as many bytes of the next panels as kBytes of that one, from `at` on, give time for: of each its part.
  template <int64_t kBytes>
  [[gnu::always_inline]] void prefetch(int64_t at) const {
#pragma GCC unroll 4
    for (int s = 0; s < NP; ++s)
#pragma GCC unroll 9
      for (int64_t line = 0; line < kBytes / NP; line += 64)
        __builtin_prefetch(reinterpret_cast<const char*>(first) + s * stride + at / NP + line, 0, 2);  // second-level cache
  }
};

// How many bytes after a block of NP panels, read side by side, the next ones are asked for. Where NP more follow, the end
// of each panel asks for the one NP further on: those between are being read.
template <int NP>
struct AskedAhead {
  int64_t near, far, turn;  // from block `turn` on: the far ones

  [[gnu::always_inline]] AskedAhead(const PackedMatmulArgs& a, int64_t panel, int64_t bytes, int64_t block_bytes)
      : near(bytes),
        far(bytes + (NP - 1) * a.panel_stride),
        turn((panel + 2 * NP) * kPanelRows <= a.n ? (a.panel_stride - bytes) / block_bytes : a.panel_stride) {}
  [[gnu::always_inline]] int64_t at(int64_t block) const { return block < turn ? near : far; }
};

// f<NP>(panel) for all panels, of which NP are streamed side by side: V::kStreams, and the rest one at a time.
template <class V, class F>
[[gnu::always_inline]] inline void by_streams(const PackedMatmulArgs& a, F f) {
  const int64_t panels = (a.n + kPanelRows - 1) / kPanelRows;
  int64_t p = 0;
  if constexpr (V::kStreams > 1)
    for (; p + V::kStreams <= panels; p += V::kStreams) f.template operator()<V::kStreams>(p);
  for (; p < panels; ++p) f.template operator()<1>(p);
}

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

// Many tokens: body(part, row) for blocks of kTokenBlock tokens by tiles of kRows rows, from `row` on. Part is a, with the
// block's tokens and a y (m, kRows) of its own, to which products are added piece by piece. Rows of a.y may be a power of
// two apart: many of them would then share few sets of a cache, from which each piece would drive them.
template <int64_t kRows, class Args, class Body>
[[gnu::always_inline]] inline void by_row_tiles(const Args& a, Body body) {
  alignas(64) float y[kTokenBlock * kRows];
  Args part = a;
  part.y = y;
  part.y_stride = kRows;
  for (int64_t t = 0; t < a.m; t += kTokenBlock) {
    part.x = static_cast<const std::byte*>(a.x) + t * a.x_stride;
    part.m = a.m - t < kTokenBlock ? a.m - t : kTokenBlock;
    for (int64_t row = 0; row < a.n; row += kRows) {
      body(part, row);
      const int64_t rows = a.n - row < kRows ? a.n - row : kRows;
      for (int64_t i = 0; i < part.m; ++i)
        std::memcpy(a.y + (t + i) * a.y_stride + row, y + i * kRows, static_cast<size_t>(rows) * sizeof(float));
    }
  }
}

// Many tokens: kDepth of `blocks` blocks of columns of W::kRows rows are unpacked into the cache at a time, for all tokens.
template <class W, class B>
void by_unpacked_tiles(const PackedMatmulArgs& a, int64_t blocks) {
  by_row_tiles<W::kRows>(
      a, [&](const PackedMatmulArgs& part, int64_t row) __attribute__((always_inline)) {
        W w;
        for (int64_t first = 0; first < blocks; first += W::kDepth) {
          const int64_t n = blocks - first < W::kDepth ? blocks - first : W::kDepth;
          w.template load<B>(part, row, first, n);
          w.multiply(part, first, n);
        }
      });
}

// f of constants and tokens: f<N>(t) for N of m tokens from t on.
template <class V, class F>
[[gnu::always_inline]] inline void by_token_tiles(int64_t m, F f) {
  int64_t t = 0;
  const auto tile = [&]<int N>() __attribute__((always_inline)) {
    f.template operator()<N>(t);
    t += N;
  };
  while (t + V::kTileTokens <= m) tile.template operator()<V::kTileTokens>();
  while (t + 2 <= m) tile.template operator()<2>();
  if (t < m) tile.template operator()<1>();
}

// Adds the sums of add(sums) to the tile y (NT, NV vectors), which begins at zero if it is the first.
template <class V, int NT, int NV, class Add>
[[gnu::always_inline]] inline void add_to_tile(float* y, int64_t y_stride, bool first, Add add) {
  typename V::F sums[NT][NV];
#pragma GCC unroll 8
  for (int i = 0; i < NT; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) sums[i][v] = first ? V::zero() : V::load(y + i * y_stride + v * V::kWidth);
  add(sums);
#pragma GCC unroll 8
  for (int i = 0; i < NT; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) V::store(y + i * y_stride + v * V::kWidth, sums[i][v]);
}
