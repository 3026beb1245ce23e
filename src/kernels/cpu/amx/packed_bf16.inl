// Matmul over panels of bf16 (quant/panels.h) and bf16 activations by tiles: sums run over 32 columns at a time, in order.
// Bound: for few tokens the read bandwidth of the weights (each line is asked for 4 KB ahead; 16 tokens cost as much as
// one). For many it is the tiles' products, 16 cycles each (tiles.inl).
#pragma once

#include "kernels/cpu/amx/tiles.inl"
#include "kernels/generic/packed.inl"

inline constexpr int64_t kTileColumns = 32;
inline constexpr int64_t kTileGroups = kTileColumns / GroupBf16::kColumns;

// Groups of a panel, a tile's; those beyond the last of `columns` columns are zeros.
struct alignas(64) TileGroups {
  GroupBf16 groups[kTileGroups];

  [[gnu::always_inline]] void load(const GroupBf16* from, int64_t columns) {
    for (int64_t i = 0; i < kTileGroups; ++i)
      V::store_w(groups + i, i * GroupBf16::kColumns < columns ? V::load_w(from + i) : _mm512_setzero_si512());
  }
};

[[gnu::always_inline]] inline const GroupBf16* groups_of(const PackedMatmulArgs& a, int64_t panel) {
  return reinterpret_cast<const GroupBf16*>(a.panels + panel * a.panel_stride);
}

// 32 columns of activations, from `column` on, of tokens from t on.
[[gnu::always_inline]] inline const std::byte* activation_tile(const PackedMatmulArgs& a, int64_t column, int64_t t) {
  return piece_of(a, column / kChunkColumns * kChunkColumns, 2) + column % kChunkColumns * 2 + t * a.x_stride;
}

// Up to 16 tokens from t on by NP panels, whose sums are in tiles 0 to NP - 1.
template <int NP>
[[gnu::noinline]] void panels_by_few_tokens(const PackedMatmulArgs& a, int64_t panel, int64_t t) {
  const GroupBf16* groups[NP];
  for_constants<NP>([&]<int P>() __attribute__((always_inline)) {
    groups[P] = groups_of(a, panel + P);
    tile_zero<P>();
  });
  const auto add = [&]<int P>(const void* tile) __attribute__((always_inline)) {
    tile_load<kRightTile + P % 2>(tile, 64);
    tile_dot_bf16<P, kLeftTile, kRightTile + P % 2>();
  };
  int64_t c = 0;
  for (; c + kTileColumns <= a.k; c += kTileColumns) {
    tile_load<kLeftTile>(activation_tile(a, c, t), a.x_stride);
    for_constants<NP>([&]<int P>() __attribute__((always_inline)) {
      const GroupBf16* tile = groups[P] + c / GroupBf16::kColumns;
#pragma GCC unroll 16
      for (int64_t line = 0; line < kTileGroups; ++line)
        __builtin_prefetch(reinterpret_cast<const char*>(tile + line) + kPrefetchBytes);
      add.template operator()<P>(tile);
    });
  }
  if (c < a.k) {
    tile_load<kLeftTile>(activation_tile(a, c, t), a.x_stride);
    for_constants<NP>([&]<int P>() __attribute__((always_inline)) {
      TileGroups last;
      last.load(groups[P] + c / GroupBf16::kColumns, a.k - c);
      add.template operator()<P>(&last);
    });
  }
  for_constants<NP>([&]<int P>() __attribute__((always_inline)) {
    alignas(64) float sums[kTileRows][kPanelRows];
    tile_store<P>(sums, 64);
    const int64_t row = (panel + P) * kPanelRows;
    for (int64_t i = 0; i < kTileRows && t + i < a.m; ++i) {
      const __m512 token[1][1] = {{V::load(sums[i])}};
      store_sums<V>(token, a.y + (t + i) * a.y_stride + row, a.y_stride, a.n - row);
    }
  });
}

void few_tokens_tiles(const PackedMatmulArgs& a) {
  constexpr int NP = 4;
  Tiles tiles;
  const int64_t panels = (a.n + kPanelRows - 1) / kPanelRows;
  for (int64_t p = 0; p < panels;) {
    const bool several = p + NP <= panels;
    for (int64_t t = 0; t < a.m; t += kTileRows) {  // panels come from memory once, for further tokens from the cache
      tiles.shape(tokens_of_tile(a.m - t), kTileGroups);
      several ? panels_by_few_tokens<NP>(a, p, t) : panels_by_few_tokens<1>(a, p, t);
    }
    p += several ? NP : 1;
  }
}

// Some columns of two panels, in the first-level cache.
class TwoPanels {
 public:
  static constexpr int64_t kColumns = 512;

  // n columns from `column` on; the second panel is the first where there is none.
  [[gnu::noinline]] void load(const PackedMatmulArgs& a, int64_t panel, int64_t column, int64_t n) {
    column_ = column;
    count_ = (n + kTileColumns - 1) / kTileColumns;
    const int64_t last = (a.n - 1) / kPanelRows;
    for (int p = 0; p < 2; ++p)
      for (int64_t c = 0; c < n; c += kTileColumns)
        tiles_[p][c / kTileColumns].load(
            groups_of(a, panel + p < last ? panel + p : last) + (column + c) / GroupBf16::kColumns, n - c);
  }

  // By all tokens, added to y, rows of a.y_stride.
  void multiply(Tiles& tiles, const PackedMatmulArgs& a, float* y) const {
    int64_t t = 0;
    tiles.shape(kTileRows, kTileGroups);
    for (; t + 2 * kTileRows <= a.m; t += 2 * kTileRows) by_tokens<2>(a, t, y);
    for (; t < a.m; t += kTileRows) {
      tiles.shape(tokens_of_tile(a.m - t), kTileGroups);
      by_tokens<1>(a, t, y);
    }
  }

 private:
  // Tile 2 * i + p has the sums of the i-th of NT tiles of tokens by panel p.
  template <int NT>
  [[gnu::noinline]] void by_tokens(const PackedMatmulArgs& a, int64_t t, float* y) const {
    const auto sums = [&]<class Fn>(Fn fn) __attribute__((always_inline)) {
      for_constants<2 * NT>([&]<int I>() __attribute__((always_inline)) {
        fn.template operator()<I>(y + (t + I / 2 * kTileRows) * a.y_stride + I % 2 * kPanelRows);
      });
    };
    if (column_ == 0)
      sums([]<int I>(float*) __attribute__((always_inline)) { tile_zero<I>(); });
    else
      sums([&]<int I>(float* at) __attribute__((always_inline)) { tile_load<I>(at, a.y_stride * 4); });
    for (int64_t i = 0; i < count_; ++i) {
      const std::byte* x = activation_tile(a, column_ + i * kTileColumns, t);
      for_constants<NT>([&]<int I>() __attribute__((always_inline)) {
        tile_load<kLeftTile + I>(x + I * kTileRows * a.x_stride, a.x_stride);
      });
      tile_load<kRightTile>(&tiles_[0][i], 64);
      tile_load<kRightTile + 1>(&tiles_[1][i], 64);
      for_constants<2 * NT>([&]<int I>() __attribute__((always_inline)) {
        tile_dot_bf16<I, kLeftTile + I / 2, kRightTile + I % 2>();
      });
    }
    sums([&]<int I>(float* at) __attribute__((always_inline)) { tile_store<I>(at, a.y_stride * 4); });
  }

  TileGroups tiles_[2][kColumns / kTileColumns];
  int64_t column_ = 0, count_ = 0;
};

// Some columns of all tokens stay in the second-level cache while kRows rows pass.
void many_tokens_tiles(const PackedMatmulArgs& a) {
  constexpr int64_t kRows = 128;
  Tiles tiles;
  TwoPanels w;
  by_row_tiles<kRows>(
      a, [&](const PackedMatmulArgs& part, int64_t row) __attribute__((always_inline)) {
        for (int64_t c = 0; c < a.k; c += TwoPanels::kColumns)
          for (int64_t r = 0; r < kRows && row + r < a.n; r += 2 * kPanelRows) {
            w.load(a, (row + r) / kPanelRows, c, a.k - c < TwoPanels::kColumns ? a.k - c : TwoPanels::kColumns);
            w.multiply(tiles, part, part.y + r);
          }
      });
}

void packed_matmul_bf16_tiles(const PackedMatmulArgs& a) noexcept {
  a.m <= kFewTokens ? few_tokens_tiles(a) : many_tokens_tiles(a);
}
