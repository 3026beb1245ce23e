// Weighted sums of values: see ValuesArgs. Bound in decode: read bandwidth of V.
// Each output is one chain of fused multiply-adds over the keys in order, as in panel_gemm. Of blocks, the weights take over
// the scales (a product for each head instead of one for each of 32 values), as over panels of their codes.
#pragma once

#include "kernels/generic/cache_rows.inl"

// Asks for the next bytes, in passes over single columns: those columns of the rows to come, or the next page. kBlockRows
// are worked on at a time. Where they need several passes, they stay in L1 between them.
struct RowsAhead {
  static constexpr int64_t kBlockRows = kRowsAhead;
  static constexpr bool kInOrder = false;

  template <int64_t kBytes, int kRows>
  [[gnu::always_inline]] inline void ask(const std::byte* const* row, int64_t at) const {
#pragma GCC unroll 2
    for (int r = 0; r < kRows; ++r) prefetch_row(row[kRowsAhead + r], at, at + kBytes);
  }
};
template <class V>
struct PageAfterRows {
  static constexpr int64_t kBlockRows = kPageKeys;
  static constexpr bool kInOrder = true;
  PageAhead<V> page;

  template <int64_t kBytes, int kRows>
  [[gnu::always_inline]] inline void ask(const std::byte* const*, int64_t) {
    page.template ask<kBytes * kRows>();
  }
};

// No asking: a page of few heads' values where the CPU fetches it better by itself.
struct NothingAhead {
  static constexpr int64_t kBlockRows = kPageKeys;
  static constexpr bool kInOrder = true;

  template <int64_t kBytes, int kRows>
  [[gnu::always_inline]] inline void ask(const std::byte* const*, int64_t) const {}
};

// Bytes of a row that add_values works on at a time, about, and of how many rows together.
template <class V, class B, int N>
constexpr int64_t kRowBytes = (N * V::kWidth * static_cast<int64_t>(sizeof(B)) + B::kSize - 1) / B::kSize;
template <class V, class B, int N>
constexpr int kRowsTogether = steps_together<V, kRowBytes<V, B, N>>();

// The factors of rows: a weight of each head, or one for each of kScaleBlocks blocks, with its scale.
inline constexpr int64_t kScaleBlocks = 4;
struct RowWeights {
  const float* first;
  int64_t head_stride;  // floats
};

// Whether weights meet scales before the passes: worth it for many heads, which pass over few columns at a time.
template <class B, int G>
constexpr bool kScalesFirst = B::kSize > 1 && G > 2;

// Weights times the scales of up to kPageKeys rows' blocks in kColumns columns, for G heads: those of a row side by side, as
// its scales are read.
template <class V, class B, int G>
struct ScaledWeights {
  static constexpr int64_t kColumns = kScaleBlocks * B::kSize, kRows = V::kWidth / kScaleBlocks;  // rows: of a vector
  alignas(64) float weights[G][kPageKeys][kScaleBlocks];

  [[gnu::always_inline]] RowWeights set(const ValuesArgs& a, int64_t begin, int64_t end, int64_t c, int64_t g0) {
    alignas(64) uint64_t scales[kPageKeys];
    const int64_t n = end - begin, blocks = (a.d - c) / B::kSize;
    const auto scales_of = [&](int64_t i, int64_t count) __attribute__((always_inline)) {
      const B* block = reinterpret_cast<const B*>(a.rows[begin + i]) + c / B::kSize;
      uint64_t all = 0;
#pragma GCC unroll 4
      for (int64_t b = 0; b < count; ++b) all |= static_cast<uint64_t>(block[b].d) << 16 * b;
      return all;
    };
    for (int64_t i = 0; i < n; ++i) scales[i] = blocks < kScaleBlocks ? scales_of(i, blocks) : scales_of(i, kScaleBlocks);
    for (int64_t i = n; i % kRows != 0; ++i) scales[i] = 0;
    const auto rows = [&](int64_t i, auto weights_of) __attribute__((always_inline)) {
      const typename V::F scale = V::load_f16(scales + i);
#pragma GCC unroll 4
      for (int g = 0; g < G; ++g) V::store(weights[g][i], V::mul(V::each_four_times(weights_of(g)), scale));
    };
    const float* p = a.p + g0 * a.p_stride + begin;
    int64_t i = 0;
    for (; i + kRows <= n; i += kRows)
      rows(
          i, [&](int g) __attribute__((always_inline)) { return p + g * a.p_stride + i; });
    if (i < n) {
      float last[G][kRows] = {};
      for (int g = 0; g < G; ++g) std::memcpy(last[g], p + g * a.p_stride + i, static_cast<size_t>(n - i) * sizeof(float));
      rows(
          i, [&](int g) __attribute__((always_inline)) { return last[g]; });
    }
    return {weights[0][0], kPageKeys * kScaleBlocks};
  }
};

// The rows [begin, end), N vectors of columns from c on, G heads from g0 on.
template <class V, class B, int N, int G, class Ahead>
[[gnu::always_inline]] inline void add_values(const ValuesArgs& a, const RowWeights& weights, int64_t begin, int64_t end,
                                              int64_t c, int64_t g0, Ahead& ahead) {
  typename V::F acc[G][N];
#pragma GCC unroll 16
  for (int g = 0; g < G; ++g)
#pragma GCC unroll 16
    for (int v = 0; v < N; ++v) acc[g][v] = V::load(a.out + (g0 + g) * a.out_stride + c + v * V::kWidth);
  constexpr bool kWhole = N * V::kWidth % B::kSize == 0;               // blocks, and so is c
  constexpr int kVectors = B::kSize == 1 ? N : B::kSize / V::kWidth;   // of one weight
  constexpr int64_t kWeights = kScalesFirst<B, G> ? kScaleBlocks : 1;  // of a row
  const int64_t head_stride = weights.head_stride, at = row_size<B>(c), first = kWhole ? 0 : c;
  const float* p = weights.first + c / B::kSize % kWeights;
  const std::byte* const* row = a.rows + begin;
  const auto weight_of = [&](const std::byte* x, int g, int v, int64_t i) __attribute__((always_inline)) {
    const typename V::F weight = V::set1(p[g * head_stride + i * kWeights + (kWeights > 1 ? v / kVectors : 0)]);
    if constexpr (B::kSize == 1 || kScalesFirst<B, G>)
      return weight;
    else
      return V::mul(weight, V::set_half(reinterpret_cast<const B*>(x)[(first + v * V::kWidth) / B::kSize].d));
  };
  const auto add_row = [&](int64_t i) __attribute__((always_inline)) {
    const std::byte* x = row[i] + (kWhole ? at : 0);
    asm("" : "+r"(x));  // otherwise each vector's offset takes a register
    typename V::F weight[G];
#pragma GCC unroll 16
    for (int v = 0; v < N; ++v) {
#pragma GCC unroll 16
      for (int g = 0; g < G; ++g)
        if (v % kVectors == 0) weight[g] = weight_of(x, g, v, i);
      const typename V::F value = load_unscaled<V, B>(x, first + v * V::kWidth);
#pragma GCC unroll 16
      for (int g = 0; g < G; ++g) acc[g][v] = V::fma(weight[g], value, acc[g][v]);
    }
  };
  constexpr int kTogether = kRowsTogether<V, B, N>;
  Ahead own = ahead;  // in registers
  for (; row + kTogether <= a.rows + end; row += kTogether, p += kTogether * kWeights) {
    own.template ask<kRowBytes<V, B, N>, kTogether>(row, at);
    add_row(0);
    if constexpr (kTogether > 1) add_row(1);
  }
  if (row < a.rows + end) add_row(0);
  ahead = own;
#pragma GCC unroll 16
  for (int g = 0; g < G; ++g)
#pragma GCC unroll 16
    for (int v = 0; v < N; ++v) V::store(a.out + (g0 + g) * a.out_stride + c + v * V::kWidth, acc[g][v]);
}

template <class V, class B, int G>
[[gnu::always_inline]] inline void add_last_values(const ValuesArgs& a, int64_t begin, int64_t end, int64_t c, int64_t g0) {
  const int64_t width = a.d - c;
  for (int g = 0; g < G; ++g) {
    float* out = a.out + (g0 + g) * a.out_stride + c;
    typename V::F acc = load_part<V>(out, width);
    for (int64_t i = begin; i < end; ++i)
      acc = V::fma(V::set1(a.p[(g0 + g) * a.p_stride + i]), load_last_columns<V, B>(a.rows[i], c, width), acc);
    store_part<V>(out, acc, width);
  }
}

// The most vectors of columns that a pass takes for G heads. For one head whole rows of 128 numbers of a page even where
// some sums do not fit in registers: read by halves, they take Zen 3 5 % longer.
template <class V, class B, int G, class Ahead>
constexpr int values_vectors() {
  constexpr int kFit = sums_of<V, G>() / G;
  if (G == 1 && B::kSize == 1 && Ahead::kInOrder) return 128 / V::kWidth;
  return kFit < 2 ? 1 : kFit < 4 ? 2 : kFit < 8 ? 4 : 8;  // parts of blocks
}

// The columns [c, end_column), by as many vectors as there are left, N or N / 2 ...
template <class V, class B, int G, int N, class Ahead>
[[gnu::always_inline]] inline void add_columns(const ValuesArgs& a, const RowWeights& weights, int64_t begin, int64_t end,
                                               int64_t c, int64_t end_column, int64_t g0, Ahead& ahead) {
  for (; c + N * V::kWidth <= end_column; c += N * V::kWidth) add_values<V, B, N, G>(a, weights, begin, end, c, g0, ahead);
  if constexpr (N > 1)
    add_columns<V, B, G, N / 2>(a, weights, begin, end, c, end_column, g0, ahead);
  else if (B::kSize == 1 && c < end_column)
    add_last_values<V, B, G>(a, begin, end, c, g0);
}

// The rows [begin, end), G heads from g0 on.
template <class V, class B, int G, class Ahead>
[[gnu::always_inline]] inline void add_heads(const ValuesArgs& a, int64_t begin, int64_t end, int64_t g0, Ahead& ahead) {
  constexpr int N = values_vectors<V, B, G, Ahead>();
  if constexpr (!kScalesFirst<B, G>) {
    const RowWeights weights{a.p + g0 * a.p_stride + begin, a.p_stride};
    add_columns<V, B, G, N>(a, weights, begin, end, 0, a.d, g0, ahead);
  } else {
    using Scaled = ScaledWeights<V, B, G>;
    Scaled scaled;
    for (int64_t c = 0; c < a.d; c += Scaled::kColumns) {
      const int64_t end_column = c + Scaled::kColumns < a.d ? c + Scaled::kColumns : a.d;
      add_columns<V, B, G, N>(a, scaled.set(a, begin, end, c, g0), begin, end, c, end_column, g0, ahead);
    }
  }
}

// How often n rows' passes over d columns ask for the next bytes.
template <class V, class B, int N>
constexpr int64_t values_asks(int64_t n, int64_t d) {
  constexpr int64_t kColumns = N * V::kWidth;
  const int64_t asks = d / kColumns * (n / kRowsTogether<V, B, N>);
  if constexpr (N > 1) return asks + values_asks<V, B, N / 2>(n, d % kColumns);
  return asks;
}

// Of blocks with scales, the scaled weights of four heads have room.
template <class V, class B>
inline constexpr int kValueHeads = B::kSize > 1 ? 4 : kHeadsTogether<V>;

template <class V, class B, class Ahead>
[[gnu::always_inline]] inline void add_rows(const ValuesArgs& a, int64_t begin, int64_t end, Ahead& ahead) {
  pass_over_heads<kValueHeads<V, B>>(
      a.group, [&]<int G>(int64_t g) __attribute__((always_inline)) { add_heads<V, B, G>(a, begin, end, g, ahead); });
}

template <class V, class B>
void values(const ValuesArgs& a) noexcept {
  const auto add_all = [&](auto ahead) __attribute__((always_inline)) {
    constexpr int64_t kRows = decltype(ahead)::kBlockRows;
    static_assert(kRows <= kPageKeys);  // of ScaledWeights
    for (int64_t i = 0; i < a.n; i += kRows) add_rows<V, B>(a, i, i + kRows < a.n ? i + kRows : a.n, ahead);
  };
  if (!asks_for<V>(a.next)) return add_all(RowsAhead());
  if constexpr (V::kUnaskedHeads > 0 && B::kSize == 1)
    if (a.group <= V::kUnaskedHeads) return add_all(NothingAhead());
  if constexpr (V::kAheadHeads > 0 && B::kSize == 1)
    if (a.group <= V::kAheadHeads) return add_all(RowsAhead());
  int64_t asks = 0;
  pass_over_heads<kValueHeads<V, B>>(
      a.group, [&]<int G>(int64_t) { asks += values_asks<V, B, values_vectors<V, B, G, PageAfterRows<V>>()>(a.n, a.d); });
  add_all(PageAfterRows<V>{{a.next, asks}});
}
