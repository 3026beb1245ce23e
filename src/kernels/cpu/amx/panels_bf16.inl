// Prefill's attention by tiles of bfloat16. Each float is the sum of two, off by 2^-17 of it at most. Of their four products
// the three larger ones are summed, which leaves out 2^-16 of a product at most.
// Bound: the tiles' products (tiles.inl), 12 for 32 rows by 32 columns by 32 columns of the sum: 5 times the f32 peak.
#pragma once

#include "kernels/cpu/amx/tiles.inl"
#include "kernels/generic/elementwise.inl"

// The parts of 16 floats, in the upper halves of lanes, each rounded to 8 bits.
struct TwoParts {
  __m512i high, low;

  [[gnu::always_inline]] explicit TwoParts(__m512 x) {
    const __m512i half = _mm512_set1_epi32(0x8000), upper = _mm512_set1_epi32(-65536);
    high = _mm512_and_si512(_mm512_add_epi32(_mm512_castps_si512(x), half), upper);
    const __m512 rest = _mm512_sub_ps(x, _mm512_castsi512_ps(high));
    low = _mm512_and_si512(_mm512_add_epi32(_mm512_castps_si512(rest), half), upper);
  }
};

// Lanes of two rows as pairs.
[[gnu::always_inline]] inline __m512i pairs_of(__m512i even, __m512i odd) {
  return _mm512_or_si512(_mm512_srli_epi32(even, 16), odd);
}

void split_panels(const SplitPanelsArgs& a) noexcept {
  PanelBf16x2* block = a.blocks;
  for (int64_t p = 0; p < a.n_panels; ++p)
    for (int64_t first = 0; first < a.rows; first += kBf16x2Rows, ++block)
      for (int64_t pair = 0; pair < kBf16x2Rows / 2; ++pair)
        for (int h = 0; h < 2; ++h) {
          const auto row = [&](int64_t r) __attribute__((always_inline)) {
            return r < a.rows ? V::load(a.panels + (p * a.rows + r) * kPanel + h * kPanel / 2) : V::zero();
          };
          const TwoParts even(row(first + 2 * pair)), odd(row(first + 2 * pair + 1));
          _mm512_store_si512(block->high[h][pair], pairs_of(even.high, odd.high));
          _mm512_store_si512(block->low[h][pair], pairs_of(even.low, odd.low));
        }
}

// The upper halves of 32 lanes.
[[gnu::always_inline]] inline __m512i upper_halves(__m512i first, __m512i second) {
  alignas(64) static constexpr uint16_t kUpper[32] = {1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31,
                                                      33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
  return _mm512_permutex2var_epi16(first, _mm512_load_si512(kUpper), second);
}

void split_rows(const SplitRowsArgs& a) noexcept {
  const int64_t bytes = bf16x2_bytes(a.k);
  for (int64_t r = 0; r < a.n; ++r) {
    const float* x = a.x + r * a.x_stride;
    std::byte* high = a.rows + r * bytes;
    for (int64_t c = 0; c < a.k; c += 2 * V::kWidth, high += 64) {
      const TwoParts first(load_up_to<V>(x + c, a.k - c)), second(load_up_to<V>(x + c + V::kWidth, a.k - c - V::kWidth));
      V::store_w(high, upper_halves(first.high, second.high));
      V::store_w(high + bytes / 2, upper_halves(first.low, second.low));
    }
  }
}

// NT tiles of rows by one panel: tile 2 * i + h has the sums of the i-th by half h of its columns.
template <int NT>
[[gnu::noinline]] void rows_by_panel(const PanelGemmCodesArgs<PanelBf16x2>& a, const PanelBf16x2* b, int64_t row, float* c) {
  const int64_t bytes = bf16x2_bytes(a.k), c_bytes = a.c_stride * static_cast<int64_t>(sizeof(float));
  const auto sums = [&]<class Fn>(Fn fn) __attribute__((always_inline)) {
    for_constants<2 * NT>([&]<int I>() __attribute__((always_inline)) {
      fn.template operator()<I>(c + (row + I / 2 * kTileRows) * a.c_stride + I % 2 * kTileRows);
    });
  };
  if (a.add)
    sums([&]<int I>(float* at) __attribute__((always_inline)) { tile_load<I>(at, c_bytes); });
  else
    sums([]<int I>(float*) __attribute__((always_inline)) { tile_zero<I>(); });
  const auto load_left = [&](const std::byte* x) __attribute__((always_inline)) {
    for_constants<NT>([&]<int I>()
                          __attribute__((always_inline)) { tile_load<kLeftTile + I>(x + I * kTileRows * bytes, bytes); });
  };
  const auto load_right = [&](const PanelBf16x2::Half* halves) __attribute__((always_inline)) {
    tile_load<kRightTile>(halves[0], 64);
    tile_load<kRightTile + 1>(halves[1], 64);
  };
  const auto dot = []() __attribute__((always_inline)) {
    for_constants<2 * NT>([]<int I>()
                              __attribute__((always_inline)) { tile_dot_bf16<I, kLeftTile + I / 2, kRightTile + I % 2>(); });
  };
  const std::byte* x = a.a + row * bytes;
  for (int64_t i = 0; i < bytes / 2; i += 64, ++b) {
    load_left(x + bytes / 2 + i);
    load_right(b->high);
    dot();
    load_left(x + i);
    dot();
    load_right(b->low);
    dot();
  }
  sums([&]<int I>(float* at) __attribute__((always_inline)) { tile_store<I>(at, c_bytes); });
}

void panel_gemm_bf16x2(const PanelGemmCodesArgs<PanelBf16x2>& a) noexcept {
  const int64_t blocks = bf16x2_bytes(a.k) / 4 / kBf16x2Rows;
  Tiles tiles;
  for (int64_t p = 0; p < a.panels; ++p) {
    const PanelBf16x2* b = a.b + p * blocks;
    float* c = a.c + p * kPanel;
    int64_t row = 0;
    for (; row + 2 * kTileRows <= a.m; row += 2 * kTileRows) {
      tiles.shape(kTileRows, kTileRows);
      rows_by_panel<2>(a, b, row, c);
    }
    for (; row < a.m; row += kTileRows) {
      tiles.shape(tokens_of_tile(a.m - row), kTileRows);
      rows_by_panel<1>(a, b, row, c);
    }
  }
}
