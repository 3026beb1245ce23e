// Many tokens by panels of small integers: as kernels/generic/packed_int8.inl computes them, bit for bit. Tiles sum the
// products of a part of a block. Bound: per part, 16 rows and 16 tokens, 48 vector instructions convert, scale and add, one
// per cycle (tiles.inl). Measured: some 56 cycles. bfloat16 tiles, whose sums need no conversion, are as slow: they load
// twice the bytes.
#pragma once

#include "kernels/cpu/amx/tiles.inl"
#include "kernels/generic/packed_int8.inl"

// Weights of four panels.
template <class Kind>
class TileWeights : public WeightBlocks<V, Kind, 4, true> {
  static constexpr int kPanels = 4;
  using Weights = WeightBlocks<V, Kind, kPanels, true>;
  using Weights::codes, Weights::scales, Weights::mins;

 public:
  // n blocks from `first` by all tokens, into a.y (m, kRows).
  void multiply(const PackedMatmulArgs& a, int64_t first, int64_t n) const {
    Tiles tiles;
    for (int64_t t = 0; t < a.m; t += kTileRows) {
      const int tokens = tokens_of_tile(a.m - t);
      tiles.shape(tokens, kPartSteps);
      for (int p = 0; p < kPanels; ++p)
        if (tokens == kTileRows)
          by_tokens<true>(a, t, kTileRows, p, first, n);
        else
          by_tokens<false>(a, t, tokens, p, first, n);
    }
  }

 private:
  static constexpr int kPartSteps = kSteps / Kind::kParts;

  // Blocks from some first one on, of several tokens.
  struct Blocks {
    const std::byte *codes, *scales, *halves, *totals;
    int64_t stride;

    Blocks(const PackedMatmulArgs& a, int64_t t, int64_t first)
        : codes(a.x + t * a.x_stride + first * kActQ8Block),
          scales(a.x + t * a.x_stride + ActQ8Row(a.k).scales + 4 * first),
          halves(a.x + t * a.x_stride + ActQ8Row(a.k).halves + 8 * first),
          totals(a.x + t * a.x_stride + ActQ8Row(a.k).totals + 4 * first),
          stride(a.x_stride) {}
    template <class T>
    [[gnu::always_inline]] T at(const std::byte* array, int t, int64_t i) const {
      T value;
      std::memcpy(&value, array + t * stride + i * static_cast<int64_t>(sizeof value), sizeof value);
      return value;
    }
    [[gnu::always_inline]] float scale(int t, int64_t b) const { return at<float>(scales, t, b); }
    // The sum of a part's activations.
    [[gnu::always_inline]] float total(int t, int64_t b, int part) const {
      if constexpr (Kind::kParts == 1) return at<float>(totals, t, b);
      return scale(t, b) * static_cast<float>(at<int32_t>(halves, t, 2 * b + part)) * (-1.0f / 128);
    }
  };

  // Begins to multiply a part; parts take turns with two tiles of each kind.
  template <int kTurn>
  [[gnu::always_inline]] void start(const Blocks& x, int p, int64_t b, int part) const {
    tile_load<kLeftTile + kTurn>(x.codes + b * kActQ8Block + part * kPartSteps * 4, x.stride);
    tile_load<kRightTile + kTurn>(codes[b][p][part * kPartSteps], sizeof codes[b][p][0]);
    tile_zero<kTurn>();
    tile_dot_bytes<kTurn, kLeftTile + kTurn, kRightTile + kTurn>();
  }

  // Asks for a line, of block b and the one after it, of the next tokens: each panel for some of them.
  [[gnu::always_inline]] static void prefetch_next(const Blocks& x, int p, int64_t b) {
    constexpr int kTokens = kTileRows / kPanels;
#pragma GCC unroll 16
    for (int i = 0; i < kTokens; ++i)
      __builtin_prefetch(x.codes + (kTileRows + p * kTokens + i) * x.stride + b * kActQ8Block);
  }

  using Sums = __m512[kTileRows];
  using Dots = int32_t[kTileRows][kPanelRows];

  // sums += the scaled dots of a part and, after a block's last, the addend of its weights.
  template <bool kFull>
  [[gnu::always_inline]] void add(const Blocks& x, const Dots& dots, int tokens, int p, int64_t b, int part,
                                  Sums& sums) const {
    const __m512 part_scales = V::load(scales[b][part] + p * kPanelRows);
#pragma GCC unroll 16
    for (int i = 0; i < kTileRows; ++i) {
      if (!kFull && i >= tokens) break;
      const __m512 dot = _mm512_cvtepi32_ps(_mm512_load_si512(dots[i]));
      sums[i] = V::fma(dot, V::mul(part_scales, V::set1(x.scale(i, b))), sums[i]);
    }
    if constexpr (Kind::kMins)
      if (part == Kind::kParts - 1) add_mins<kFull>(x, tokens, p, b, sums);
  }
  template <bool kFull>
  [[gnu::always_inline]] void add_mins(const Blocks& x, int tokens, int p, int64_t b, Sums& sums) const {
#pragma GCC unroll 2
    for (int part = 0; part < Kind::kParts; ++part) {
      const __m512 part_mins = V::load(mins[b][part] + p * kPanelRows);
#pragma GCC unroll 16
      for (int i = 0; i < kTileRows; ++i) {
        if (!kFull && i >= tokens) break;
        sums[i] = V::fma(part_mins, V::set1(x.total(i, b, part)), sums[i]);
      }
    }
  }

  // 16 tokens from t on, or fewer, by a panel. While one part is multiplied, the one before is stored and the one before
  // that scaled and added.
  template <bool kFull>
  [[gnu::noinline]] void by_tokens(const PackedMatmulArgs& a, int64_t t, int tokens, int p, int64_t first, int64_t n) const {
    constexpr int64_t kParts = Kind::kParts;
    const Blocks x(a, t, first);
    float* y = a.y + t * a.y_stride + p * kPanelRows;
    alignas(64) Dots dots[2];
    Sums sums;
#pragma GCC unroll 16
    for (int i = 0; i < kTileRows; ++i) sums[i] = first && (kFull || i < tokens) ? V::load(y + i * a.y_stride) : V::zero();
    const auto begin = [&]<int kTurn>(int64_t unit) __attribute__((always_inline)) {
      start<kTurn>(x, p, unit / kParts, static_cast<int>(unit % kParts));
    };
    const auto end = [&](int64_t unit, const Dots& of) __attribute__((always_inline)) {
      add<kFull>(x, of, tokens, p, unit / kParts, static_cast<int>(unit % kParts), sums);
    };
    // Two parts at a time: unit and unit + 1.
    const int64_t units = n * kParts;
    begin.template operator()<0>(0);
    int64_t unit = 0;
    for (; unit + 2 <= units; unit += 2) {
      begin.template operator()<1>(unit + 1);
      tile_store<0>(dots[0], 64);
      if (unit > 0) end(unit - 1, dots[1]);
      prefetch_next(x, p, unit / kParts);
      if (unit + 2 < units) begin.template operator()<0>(unit + 2);
      tile_store<1>(dots[1], 64);
      end(unit, dots[0]);
    }
    if (unit > 0) end(unit - 1, dots[1]);
    if (unit < units) {
      tile_store<0>(dots[0], 64);
      end(unit, dots[0]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kTileRows; ++i) {
      if (!kFull && i >= tokens) break;
      V::store(y + i * a.y_stride, sums[i]);
    }
  }
};

template <class B>
void packed_matmul_tiles(const PackedMatmulArgs& a) noexcept {
  a.m <= kFewTokens ? few_tokens_int8<V, B>(a) : by_unpacked_tiles<TileWeights<KindOf<B>>, B>(a, a.k / kActQ8Block);
}
