// Prefill's attention on integers of 16 bits, on tiers whose V multiplies pairs of them: twice the products per instruction
// that floats have. Float panels become blocks in units of their own, which keep 13 bits below the largest of each.
// Bound: the ports that share dot products and scales; quantising is paid once for all queries of a block.
#pragma once

#include "kernels/generic/packed_int16.inl"

// Stores 32 rows of a panel: value(r) gives row r of V::kWidth columns in units.
template <class V, class Value>
[[gnu::always_inline]] inline void store_pairs(PanelQ16& block, int column, Value value) {
  const auto integer = [&](int r) __attribute__((always_inline)) { return V::add(value(r), V::set1(kToInteger)); };
  for (int i = 0; i < kQ16Pairs; ++i) V::store_w(block.pairs[i][column], V::low_halves(integer(2 * i), integer(2 * i + 1)));
}

// Units of columns; a NaN stays one.
template <class V>
void quantize_keys(const QuantizePanelsArgs& a) noexcept {
  const typename V::F tiny = V::set1(0x1p-100f);  // does not count beside any query
  PanelQ16* block = a.blocks;
  for (int64_t p = 0; p < a.n_panels; ++p)
    for (int64_t first = 0; first < a.rows; first += kActQ16Block, ++block)
      for (int c = 0; c < kPanel; c += V::kWidth) {
        const float* x = a.panels + (p * a.rows + first) * kPanel + c;
        const auto value = [&](int r) __attribute__((always_inline)) {
          return first + r < a.rows ? V::load(x + r * kPanel) : V::zero();
        };
        typename V::F largest = tiny;
        for (int r = 0; r < kActQ16Block; ++r) largest = V::max_magnitude(largest, value(r));
        const typename V::F per_unit = V::div(V::set1(kActQ16Most), largest);
        store_pairs<V>(
            *block, c, [&](int r) __attribute__((always_inline)) { return V::mul(value(r), per_unit); });
        V::store(block->unit + c, V::div(largest, V::set1(kActQ16Most)));
      }
}

// Units of rows; a value that is not finite makes the unit a NaN.
template <class V>
void quantize_values(const QuantizePanelsArgs& a) noexcept {
  const auto at = [&](int64_t p, int64_t row, int c) __attribute__((always_inline)) {
    return a.panels + (p * a.rows + row) * kPanel + c;
  };
  float per_unit[kPageKeys];
  for (int64_t row = 0; row < a.rows; ++row) {
    typename V::F largest = V::set1(0x1p-100f);
    for (int64_t p = 0; p < a.n_panels; ++p)
      for (int c = 0; c < kPanel; c += V::kWidth) largest = V::max_magnitude(largest, V::load(at(p, row, c)));
    const float top = largest_of_finite<V>(largest);
    per_unit[row] = kActQ16Most / top;
    a.row_unit[row] = top / kActQ16Most;
  }
  PanelQ16* block = a.blocks;
  for (int64_t p = 0; p < a.n_panels; ++p)
    for (int64_t first = 0; first < a.rows; first += kActQ16Block, ++block)
      for (int c = 0; c < kPanel; c += V::kWidth) {
        store_pairs<V>(
            *block, c, [&](int r) __attribute__((always_inline)) {
              return V::mul(V::load(at(p, first + r, c)), V::set1(per_unit[first + r]));
            });
        V::store(block->unit + c, V::set1(1.0f));
      }
}

template <class V>
void quantize_weights(const QuantizeWeightsArgs& a) noexcept {
  for (int64_t row = 0; row < a.n; ++row) {
    const float* weights = a.weights + row * kPageKeys;
    const auto part = [&](int i) __attribute__((always_inline)) {
      return V::mul(V::load(weights + i), V::load(a.row_unit + i));
    };
    auto* q = reinterpret_cast<int16_t*>(a.codes + row * act_q16_bytes(kPageKeys));
    auto* scales = reinterpret_cast<float*>(q + kPageKeys);
    const auto [d, inverse] = block_scale<V, kPageKeys>(part, kActQ16Most);
    for (int i = 0; i < kPageKeys; i += V::kWidth) V::store_i16(q + i, V::mul(part(i), inverse));
    for (int64_t b = 0; b < kPageKeys / kActQ16Block; ++b) scales[b] = d;
  }
}

// NT rows by one panel.
template <class V, int NT>
[[gnu::noinline]] void panel_by_rows_q16(const PanelGemmCodesArgs<PanelQ16>& a, const PanelQ16* b, int64_t row, float* c) {
  constexpr int NV = 2;
  const int64_t stride = act_q16_bytes(a.k), blocks = act_q16_blocks(a.k);
  const Q16Rows<NT> x(a.a + row * stride, stride, a.k);
  for (int first = 0; first < kPanel; first += NV * V::kWidth)
    add_to_tile<V, NT, NV>(
        c + row * a.c_stride + first, a.c_stride, !a.add, [&](typename V::F(&sums)[NT][NV]) __attribute__((always_inline)) {
          for (int64_t i = 0; i < blocks; ++i)
            add_q16_block<V>(
                x, i,
                [&](int pair, int v)
                    __attribute__((always_inline)) { return V::load_w(b[i].pairs[pair][first + v * V::kWidth]); },
                [&](int v) __attribute__((always_inline)) { return V::load(b[i].unit + first + v * V::kWidth); }, sums);
        });
}

template <class V>
void panel_gemm_q16(const PanelGemmCodesArgs<PanelQ16>& a) noexcept {
  for (int64_t p = 0; p < a.panels; ++p) {
    const PanelQ16* b = a.b + p * act_q16_blocks(a.k);
    float* c = a.c + p * kPanel;
    int64_t row = 0;
    for (; row + V::kTileTokens <= a.m; row += V::kTileTokens) panel_by_rows_q16<V, V::kTileTokens>(a, b, row, c);
    for (; row + 2 <= a.m; row += 2) panel_by_rows_q16<V, 2>(a, b, row, c);
    if (row < a.m) panel_by_rows_q16<V, 1>(a, b, row, c);
  }
}
