// Matmul over panels of small integers (quant/panels.h) and int8 activations (act_q8.h), on tiers whose V multiplies bytes.
// A block's products are summed exactly, then blocks in order.
// Bound: for few tokens the read bandwidth of the weights (each line is asked for 4 KB ahead); for many the ports that share
// dot products and scales: of 11 instructions per block, 16 rows and a token, 8 are dot products.
#pragma once

#include "kernels/generic/packed.inl"

inline constexpr int64_t kDepthBlocks = 16;  // blocks of 32 columns that are unpacked at a time for many tokens
inline constexpr int kSteps = kActQ8Block / 4;

// What a format adds to its codes to make them unsigned bytes.
template <class B>
inline constexpr int kOffset = code_offset(static_cast<const B*>(nullptr));

// Rows of NT tokens' activations from token t on.
template <int NT>
struct QuantRows {
  const int8_t* row[NT];
  int64_t k;

  [[gnu::always_inline]] QuantRows(const PackedMatmulArgs& a, int64_t t) : k(a.k) {
#pragma GCC unroll 8
    for (int i = 0; i < NT; ++i) row[i] = reinterpret_cast<const int8_t*>(a.x) + (t + i) * a.x_stride;
  }
};

// A number whose origin the compiler does not see. Rows and offsets stay apart so: it would keep a pointer for each of their
// sums, more than there are registers.
[[gnu::always_inline]] inline int64_t hidden(int64_t x) {
  asm("" : "+r"(x));
  return x;
}

// One block of their rows.
template <int NT>
struct QuantBlock {
  const int8_t* const (&row)[NT];
  int64_t codes, scales, starts;  // bytes into a row

  [[gnu::always_inline]] QuantBlock(const QuantRows<NT>& x, int64_t b)
      : row(x.row), codes(hidden(b * kActQ8Block)), scales(hidden(x.k + 4 * b)), starts(hidden(x.k + x.k / 8 + 4 * b)) {}
  template <class T>
  [[gnu::always_inline]] T at(int t, int64_t offset) const {
    T x;
    std::memcpy(&x, row[t] + offset, sizeof x);
    return x;
  }
  [[gnu::always_inline]] int32_t four(int t, int step) const { return at<int32_t>(t, codes + 4 * step); }
  [[gnu::always_inline]] float scale(int t) const { return at<float>(t, scales); }
  // What an accumulator of unsigned weights starts from.
  [[gnu::always_inline]] int32_t start(int t) const { return at<int32_t>(t, starts); }
};

// sums[t][v] += a block's products; codes(step, v) gives weights, scales(v) their scales.
template <class V, class Dot, int NT, int NV, class Codes, class Scales>
[[gnu::always_inline]] inline void add_block(const QuantBlock<NT>& x, Codes codes, Scales scales,
                                             typename V::F (&sums)[NT][NV]) {
  typename Dot::Sum dots[NT][NV];
#pragma GCC unroll 8
  for (int t = 0; t < NT; ++t)
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) dots[t][v] = Dot::start(x.start(t));
#pragma GCC unroll 8
  for (int s = 0; s < kSteps; ++s) {
    typename V::W w[NV];
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) w[v] = codes(s, v);
#pragma GCC unroll 8
    for (int t = 0; t < NT; ++t) {
      const typename V::W four = V::set1_w(x.four(t, s));
#pragma GCC unroll 2
      for (int v = 0; v < NV; ++v) {
        dots[t][v] = Dot::dot(dots[t][v], w[v], four);
        V::settle(dots[t][v]);
      }
    }
    V::step_done();
  }
  typename V::F w_scales[NV];
#pragma GCC unroll 2
  for (int v = 0; v < NV; ++v) w_scales[v] = scales(v);
#pragma GCC unroll 8
  for (int t = 0; t < NT; ++t) {
    const typename V::F scale = V::set1(x.scale(t));
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v)
      sums[t][v] = V::fma(Dot::finish(dots[t][v], x.start(t)), V::mul(w_scales[v], scale), sums[t][v]);
  }
}

// A panel by NT tokens.
template <class V, class B, int NT>
[[gnu::noinline]] void panel_by_tokens(const PackedMatmulArgs& a, int64_t panel, int64_t t) {
  using Group = typename B::Group;
  constexpr int NV = kPanelRows / V::kWidth;
  const auto* group = reinterpret_cast<const Group*>(a.panels + panel * a.panel_stride);
  const QuantRows<NT> x(a, t);
  typename V::F sums[NT][NV];
#pragma GCC unroll 8
  for (int i = 0; i < NT; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) sums[i][v] = V::zero();
  const auto block = [&](int64_t b, int half) __attribute__((always_inline)) {
    add_block<V, typename V::template Dot<kOffset<B>>>(
        QuantBlock<NT>(x, b),
        [&](int s, int v) __attribute__((always_inline)) { return load_step<V>(*group, half, s, v * V::kWidth); },
        [&](int v) __attribute__((always_inline)) { return V::load_f16(group->d[half] + v * V::kWidth); }, sums);
  };
  const int64_t blocks = a.k / kActQ8Block;
  for (int64_t b = 0; b < blocks; b += 2, ++group) {
#pragma GCC unroll 17
    for (size_t line = 0; line < sizeof(Group); line += 64)
      __builtin_prefetch(reinterpret_cast<const char*>(group) + kPrefetchBytes + line);
    block(b, 0);
    if (b + 1 < blocks) block(b + 1, 1);
  }
  store_sums<V>(sums, a.y + t * a.y_stride + panel * kPanelRows, a.y_stride, a.n - panel * kPanelRows);
}

// Few tokens: a panel comes from memory once, for further passes from the cache.
template <class V, class B>
void few_tokens_int8(const PackedMatmulArgs& a) {
  for (int64_t panel = 0; panel * kPanelRows < a.n; ++panel)
    for (int64_t t = 0; t < a.m; t += kPassTokens<V>)
      with_constant<kPassTokens<V>>(
          a.m - t < kPassTokens<V> ? a.m - t : kPassTokens<V>, [&]<int NT>() __attribute__((always_inline)) {
            panel_by_tokens<V, B, NT>(a, panel, t);
          });
}

// Weights of kRows rows, unpacked: codes[block][step][row][4], scales[block][row].
template <class V>
struct UnpackedWeights {
  static constexpr int kVectors = 2, kRows = kVectors * V::kWidth;
  alignas(64) uint8_t codes[kDepthBlocks][kSteps][kRows][4];
  alignas(64) float scales[kDepthBlocks][kRows];

  // Blocks [first, first + n) of rows [row, row + kRows); rows behind the last panel repeat those of the last.
  template <class B>
  [[gnu::noinline]] void load(const PackedMatmulArgs& a, int64_t row, int64_t first, int64_t n) {
    const int64_t last = (a.n - 1) / kPanelRows;
    for (int v = 0; v < kVectors; ++v) {
      const int64_t at = row + v * V::kWidth, panel = at / kPanelRows < last ? at / kPanelRows : last;
      const auto* group = reinterpret_cast<const typename B::Group*>(a.panels + panel * a.panel_stride) + first / 2;
      const int lane = static_cast<int>(at % kPanelRows);
      for (int64_t b = 0; b < n; ++b) {
        const auto& g = group[b / 2];
        const int half = static_cast<int>(b % 2);
#pragma GCC unroll 8
        for (int s = 0; s < kSteps; ++s) V::store_w(codes[b][s][v * V::kWidth], load_step<V>(g, half, s, lane));
        V::store(scales[b] + v * V::kWidth, V::load_f16(g.d[half] + lane));
      }
    }
  }
};

// y (NT, kRows) of unpacked weights, n blocks from `first`, added to what is there unless these are the first.
template <class V, class B, int NT>
[[gnu::noinline]] void tile_of_tokens(const UnpackedWeights<V>& w, const QuantRows<NT>& x, int64_t first, int64_t n,
                                      float* y, int64_t y_stride) {
  constexpr int NV = UnpackedWeights<V>::kVectors;
  typename V::F sums[NT][NV];
#pragma GCC unroll 8
  for (int i = 0; i < NT; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) sums[i][v] = first ? V::load(y + i * y_stride + v * V::kWidth) : V::zero();
  for (int64_t b = 0; b < n; ++b)
    add_block<V, typename V::template Dot<kOffset<B>>>(
        QuantBlock<NT>(x, first + b),
        [&](int s, int v) __attribute__((always_inline)) { return V::load_w(w.codes[b][s][v * V::kWidth]); },
        [&](int v) __attribute__((always_inline)) { return V::load(w.scales[b] + v * V::kWidth); }, sums);
#pragma GCC unroll 8
  for (int i = 0; i < NT; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) V::store(y + i * y_stride + v * V::kWidth, sums[i][v]);
}

// Rows [row, row + kRows) by tokens [t0, t0 + m), into y (m, kRows).
template <class V, class B>
[[gnu::always_inline]] inline void rows_by_tokens(const PackedMatmulArgs& a, int64_t row, int64_t t0, int64_t m, float* y,
                                                  int64_t y_stride) {
  constexpr int NT = V::kTileTokens;
  const int64_t blocks = a.k / kActQ8Block;
  UnpackedWeights<V> w;
  for (int64_t first = 0; first < blocks; first += kDepthBlocks) {
    const int64_t n = blocks - first < kDepthBlocks ? blocks - first : kDepthBlocks;
    w.template load<B>(a, row, first, n);
    int64_t t = 0;
    const auto tile = [&]<int N>() __attribute__((always_inline)) {
      tile_of_tokens<V, B, N>(w, QuantRows<N>(a, t0 + t), first, n, y + t * y_stride, y_stride);
      t += N;
    };
    while (t + NT <= m) tile.template operator()<NT>();
    while (t + 2 <= m) tile.template operator()<2>();
    if (t < m) tile.template operator()<1>();
  }
}

// Many tokens: weights are unpacked into the cache once for all of them.
template <class V, class B>
void many_tokens_int8(const PackedMatmulArgs& a) {
  constexpr int64_t kRows = UnpackedWeights<V>::kRows;
  for (int64_t t = 0; t < a.m; t += kTokenBlock) {
    const int64_t m = a.m - t < kTokenBlock ? a.m - t : kTokenBlock;
    int64_t row = 0;
    for (; row + kRows <= a.n; row += kRows) rows_by_tokens<V, B>(a, row, t, m, a.y + t * a.y_stride + row, a.y_stride);
    if (row == a.n) continue;
    alignas(64) float last[kTokenBlock * kRows];
    rows_by_tokens<V, B>(a, row, t, m, last, kRows);
    for (int64_t i = 0; i < m; ++i)
      std::memcpy(a.y + (t + i) * a.y_stride + row, last + i * kRows, static_cast<size_t>(a.n - row) * sizeof(float));
  }
}

template <class V, class B>
void packed_matmul_int8(const PackedMatmulArgs& a) noexcept {
  a.m <= kFewTokens ? few_tokens_int8<V, B>(a) : many_tokens_int8<V, B>(a);
}
