// Matmul over panels of f16 or bf16 (quant/panels.h) and activations of 16 bits (act_q16.h), on tiers whose V multiplies
// pairs of 16 bits. These are twice the products per instruction that floats have. 32 columns of a row share a unit, 2^-12
// of the power of two in the largest. Weights become multiples of it, which are exact for those from a quarter of the
// largest on (f16; for bf16, a 32nd). A block's products are summed exactly, then blocks in order. Bound: for few tokens the
// read bandwidth of the weights (each line is asked for 4 KB ahead) together with their unpacking. That takes 5 instructions
// of a tier with arithmetic of halves, 10 of others, for 64 bytes. For many it is the ports that share dot products and
// scales: of 19 instructions per block, 16 rows and a token, 16 are dot products.
#pragma once

#include "kernels/generic/elementwise.inl"
#include "kernels/generic/packed.inl"
#include "kernels/generic/store.inl"

inline constexpr int kQ16Pairs = kActQ16Block / 2;
inline constexpr float kToInteger = 0x1.8p23f;  // x + this has x, rounded to nearest even, in its low bits

// NT tokens' activations.
template <int NT>
struct Q16Rows {
  const std::byte* row[NT];
  int64_t scales;

  [[gnu::always_inline]] Q16Rows(const std::byte* x, int64_t x_stride, int64_t k) : scales(act_q16_scales(k)) {
#pragma GCC unroll 8
    for (int i = 0; i < NT; ++i) row[i] = x + i * x_stride;
  }
  [[gnu::always_inline]] int32_t pair(int t, int64_t block, int i) const {
    int32_t x;
    std::memcpy(&x, row[t] + (block * kQ16Pairs + i) * 4, sizeof x);
    return x;
  }
  [[gnu::always_inline]] float scale(int t, int64_t block) const {
    float x;
    std::memcpy(&x, row[t] + scales + block * 4, sizeof x);
    return x;
  }
};

// The factors that make units of weights.
template <class V, class Group>
[[gnu::always_inline]] inline auto q16_factors(typename V::F power) {
  if constexpr (ByHalves<V, Group>)
    return V::half_factors(power);
  else
    return V::div(V::set1(0x1p12f), power);
}

template <class V, class Group>
struct Q16Units {
  using Factors = decltype(q16_factors<V, Group>(V::zero()));
  typename V::F unit;
  Factors factors;
};

// V::kWidth rows of a panel, from `row` on; a block of their columns begins at `first` and has n. Only the last block of a
// row may have fewer than kActQ16Block.
template <class V, class B>
struct Q16Block {
  const typename B::Group* panel;
  int64_t first, n;
  int row;

  [[gnu::always_inline]] const typename B::Group* columns(int i) const { return panel + (first + i) / B::Group::kColumns; }
  [[gnu::always_inline]] typename V::F column(int i) const {
    return i < n ? load_column<V>(panel, first + i, row) : V::zero();
  }
  // The power of two in each row's largest weight. (Those below 2^-100 do not count beside any activation.)
  [[gnu::always_inline]] typename V::F power() const {
    typename V::F largest = V::set1(0x1p-100f);
    if constexpr (FindsLargest<V, typename B::Group>)
      if (n == kActQ16Block) return V::power_of(V::max_magnitude(largest, V::largest(columns(0))));
#pragma GCC unroll 32
    for (int i = 0; i < kActQ16Block; ++i) largest = V::max_magnitude(largest, column(i));
    return V::power_of(largest);
  }
  using Units = Q16Units<V, typename B::Group>;
  [[gnu::always_inline]] Units units() const {
    const typename V::F both = power();
    return {V::mul(both, V::set1(0x1p-12f)), q16_factors<V, typename B::Group>(both)};
  }
  // Columns 2 * i and 2 * i + 1 in units.
  [[gnu::always_inline]] typename V::W pair(int i, typename Units::Factors factors) const {
    if constexpr (ByHalves<V, typename B::Group>) {
      return V::pair_of_halves(columns(2 * i), n - 2 * i, factors);
    } else {
      const typename V::F to_integer = V::set1(kToInteger);
      return V::low_halves(V::fma(column(2 * i), factors, to_integer), V::fma(column(2 * i + 1), factors, to_integer));
    }
  }
};

// sums[t][v] += a block's products; pairs(i, v) gives weights, units(v) their units.
template <class V, int NT, int NV, class Pairs, class Units>
[[gnu::always_inline]] inline void add_q16_block(const Q16Rows<NT>& x, int64_t block, Pairs pairs, Units units,
                                                 typename V::F (&sums)[NT][NV]) {
  constexpr int kChains = NT * NV == 1 ? 4 : NT * NV <= 3 ? 2 : 1;  // of exact sums, that few wait for the one before
  typename V::W dots[kChains][NT][NV];
#pragma GCC unroll 16
  for (int i = 0; i < kQ16Pairs; ++i) {
    typename V::W w[NV];
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) w[v] = pairs(i, v);
#pragma GCC unroll 8
    for (int t = 0; t < NT; ++t) {
      const typename V::W both = V::set1_w(x.pair(t, block, i));
#pragma GCC unroll 2
      for (int v = 0; v < NV; ++v) {
        typename V::W& sum = dots[i % kChains][t][v];
        sum = V::dot_pairs(i < kChains ? V::set1_w(0) : sum, w[v], both);
      }
    }
  }
#pragma GCC unroll 4
  for (int c = 1; c < kChains; ++c)
#pragma GCC unroll 8
    for (int t = 0; t < NT; ++t)
#pragma GCC unroll 2
      for (int v = 0; v < NV; ++v) dots[0][t][v] = V::add_w(dots[0][t][v], dots[c][t][v]);
#pragma GCC unroll 8
  for (int t = 0; t < NT; ++t) {
    const typename V::F scale = V::set1(x.scale(t, block));
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) sums[t][v] = V::fma(V::floats(dots[0][t][v]), V::mul(units(v), scale), sums[t][v]);
  }
}

// NP panels by NT tokens.
template <class V, class B, int NP, int NT>
[[gnu::noinline]] void q16_panels_by_tokens(const PackedMatmulArgs& a, int64_t panel, int64_t t) {
  using Group = typename B::Group;
  constexpr int NV = kPanelRows / V::kWidth;
  const Q16Rows<NT> x(a.x + t * a.x_stride, a.x_stride, a.k);
  typename V::F sums[NP][NT][NV];
#pragma GCC unroll 4
  for (int p = 0; p < NP; ++p)
#pragma GCC unroll 8
    for (int i = 0; i < NT; ++i)
#pragma GCC unroll 2
      for (int v = 0; v < NV; ++v) sums[p][i][v] = V::zero();
  const auto weights = [&](int p, int64_t b, int64_t n, int v) __attribute__((always_inline)) {
    const std::byte* groups = a.panels + (panel + p) * a.panel_stride;
    return Q16Block<V, B>{reinterpret_cast<const Group*>(groups), b * kActQ16Block, n, v * V::kWidth};
  };
  // A block's units are found while the block before is multiplied: nothing waits for them.
  const int64_t blocks = act_q16_blocks(a.k), whole = a.k / kActQ16Block;
  typename Q16Block<V, B>::Units units[NP][NV];
  const auto find_units = [&](int64_t b, int64_t n, int p) __attribute__((always_inline)) {
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) units[p][v] = weights(p, b, n, v).units();
  };
  const AskedAhead<NP> asks(a, panel, V::kAskBytes, kActQ16Block / Group::kColumns * static_cast<int64_t>(sizeof(Group)));
  const auto block = [&](int64_t b, int64_t n, int64_t next_n) __attribute__((always_inline)) {
#pragma GCC unroll 4
    for (int p = 0; p < NP; ++p) {
      typename Q16Block<V, B>::Units found[NV];
#pragma GCC unroll 2
      for (int v = 0; v < NV; ++v) found[v] = units[p][v];
      find_units(b + 1 < blocks ? b + 1 : b, next_n, p);
      add_q16_block<V>(
          x, b,
          [&](int i, int v) __attribute__((always_inline)) {
            const Q16Block<V, B> w = weights(p, b, n, v);
            if (v == 0) {
              if constexpr (V::kAsksForPanels) prefetch_lines<V, 64>(w.columns(2 * i), a.panel_stride);
              prefetch_lines<V, 64>(w.columns(2 * i), asks.at(b));
            }
            return w.pair(i, found[v].factors);
          },
          [&](int v) __attribute__((always_inline)) { return found[v].unit; }, sums[p]);
    }
  };
#pragma GCC unroll 4
  for (int p = 0; p < NP; ++p) find_units(0, whole ? kActQ16Block : a.k, p);
  int64_t b = 0;
  for (; b + 1 < whole; ++b) block(b, kActQ16Block, kActQ16Block);
  for (; b < blocks; ++b) {
    const int64_t left = a.k - b * kActQ16Block;
    block(b, left < kActQ16Block ? left : kActQ16Block, left < 2 * kActQ16Block ? left - kActQ16Block : kActQ16Block);
  }
#pragma GCC unroll 4
  for (int p = 0; p < NP; ++p) {
    const int64_t row = (panel + p) * kPanelRows;
    store_sums<V>(sums[p], a.y + t * a.y_stride + row, a.y_stride, a.n - row);
  }
}

// All tokens by NP panels, which come from memory once, for further passes from the cache.
template <class V, class B, int NP>
[[gnu::always_inline]] inline void q16_panels_by_few(const PackedMatmulArgs& a, int64_t panel) {
  for (int64_t t = 0; t < a.m; t += kPassTokens<V>)
    with_constant<kPassTokens<V>>(
        a.m - t < kPassTokens<V> ? a.m - t : kPassTokens<V>, [&]<int NT>() __attribute__((always_inline)) {
          constexpr int kSide = NT <= 4 ? NP : 1;  // the sums of more tokens fill the registers
          for (int p = 0; p < NP; p += kSide) q16_panels_by_tokens<V, B, kSide, NT>(a, panel + p, t);
        });
}

template <class V, class B>
void few_tokens_int16(const PackedMatmulArgs& a) {
  by_streams<V>(
      a, [&]<int NP>(int64_t panel) __attribute__((always_inline)) { q16_panels_by_few<V, B, NP>(a, panel); });
}

// Weights of kRows rows in units: pairs[block][pair][row][2], units[block][row].
template <class V>
struct Q16Unpacked {
  static constexpr int kVectors = 2, kRows = kVectors * V::kWidth;
  static constexpr int64_t kDepth = 8;
  alignas(64) int16_t pairs[kDepth][kQ16Pairs][kRows][2];
  alignas(64) float units[kDepth][kRows];

  // Blocks [first, first + n) of rows [row, row + kRows); rows beyond the last panel repeat those of the last.
  template <class B>
  [[gnu::noinline]] void load(const PackedMatmulArgs& a, int64_t row, int64_t first, int64_t n) {
    const int64_t last = (a.n - 1) / kPanelRows;
    for (int v = 0; v < kVectors; ++v) {
      const int64_t at = row + v * V::kWidth, panel = at / kPanelRows < last ? at / kPanelRows : last;
      Q16Block<V, B> w{reinterpret_cast<const typename B::Group*>(a.panels + panel * a.panel_stride), 0, 0,
                       static_cast<int>(at % kPanelRows)};
      for (int64_t b = 0; b < n; ++b) {
        w.first = (first + b) * kActQ16Block;
        w.n = a.k - w.first < kActQ16Block ? a.k - w.first : kActQ16Block;
        const auto [unit, factors] = w.units();
        for (int i = 0; i < kQ16Pairs; ++i) V::store_w(pairs[b][i][v * V::kWidth], w.pair(i, factors));
        V::store(units[b] + v * V::kWidth, unit);
      }
    }
  }

  // n blocks from `first` by all tokens, into a.y (m, kRows).
  void multiply(const PackedMatmulArgs& a, int64_t first, int64_t n) const {
    by_token_tiles<V>(
        a.m, [&]<int NT>(int64_t t) __attribute__((always_inline)) { by_tokens<NT>(a, t, first, n); });
  }

  // The same by NT tokens from t on.
  template <int NT>
  [[gnu::noinline]] void by_tokens(const PackedMatmulArgs& a, int64_t t, int64_t first, int64_t n) const {
    const Q16Rows<NT> x(a.x + t * a.x_stride, a.x_stride, a.k);
    add_to_tile<V, NT, kVectors>(
        a.y + t * a.y_stride, a.y_stride,
        first == 0, [&](typename V::F(&sums)[NT][kVectors]) __attribute__((always_inline)) {
          for (int64_t b = 0; b < n; ++b)
            add_q16_block<V>(
                x, first + b,
                [&](int i, int v) __attribute__((always_inline)) { return V::load_w(pairs[b][i][v * V::kWidth]); },
                [&](int v) __attribute__((always_inline)) { return V::load(units[b] + v * V::kWidth); }, sums);
        });
  }
};

template <class V, class B>
void packed_matmul_int16(const PackedMatmulArgs& a) noexcept {
  a.m <= kFewTokens ? few_tokens_int16<V, B>(a) : by_unpacked_tiles<Q16Unpacked<V>, B>(a, act_q16_blocks(a.k));
}

// Activations for these kernels: act_q16.h.
template <class V>
void quantize_q16(const float* x, void* y, int64_t k) noexcept {
  auto* q = static_cast<int16_t*>(y);
  auto* scales = reinterpret_cast<float*>(static_cast<std::byte*>(y) + act_q16_scales(k));
  for (int64_t first = 0; first < k; first += kActQ16Block, q += kActQ16Block) {
    const auto part = [&](int i) __attribute__((always_inline)) {
      const int64_t left = k - first - i;
      return load_up_to<V>(x + first + i, left);
    };
    const auto [d, inverse] = block_scale<V, kActQ16Block>(part, kActQ16Most);
    for (int i = 0; i < kActQ16Block; i += V::kWidth) V::store_i16(q + i, V::mul(part(i), inverse));
    scales[first / kActQ16Block] = d;
  }
}
