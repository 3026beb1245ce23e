// Weighted sums of values: see ValuesArgs. Bound in decode: read bandwidth of V.
// Each output is one chain of fused multiply-adds over the keys in order, as in panel_gemm.
#pragma once

#include "kernels/generic/cache_rows.inl"

// Rows that are worked on next, asked for in equal shares by every pass over the rows at hand.
struct RowsAhead {
  const std::byte *const *row, *const *end;
  int64_t size, share;  // bytes of a row, and of it at a time
  int64_t at = 0;

  [[gnu::always_inline]] inline void ask() {
    if (row == end) return;
    prefetch_row(*row, at, at + share);
    at += share;
    if (at < size) return;
    at = 0;
    ++row;
  }
};

// The rows [begin, end), N vectors of columns from c on, G heads. What is read next is asked for by every pass over a row:
// the next rows or the next page.
template <class V, class B, int N, int G, class Ahead>
[[gnu::always_inline]] inline void add_values(const ValuesArgs& a, int64_t begin, int64_t end, int64_t c, int64_t g0,
                                              Ahead& ahead) {
  typename V::F acc[G][N];
#pragma GCC unroll 16
  for (int g = 0; g < G; ++g)
#pragma GCC unroll 16
    for (int v = 0; v < N; ++v) acc[g][v] = V::load(a.out + (g0 + g) * a.out_stride + c + v * V::kWidth);
  const int64_t p_stride = a.p_stride;
  const float* p = a.p + g0 * p_stride + begin;
  Ahead own = ahead;  // in registers
  for (const std::byte *const *row = a.rows + begin, *const *last = a.rows + end; row < last; ++row, ++p) {
    own.ask();
    typename V::F x[N];
    load_vectors<V, B>(*row, c, x);
#pragma GCC unroll 16
    for (int g = 0; g < G; ++g) {
      const typename V::F weight = V::set1(p[g * p_stride]);
#pragma GCC unroll 16
      for (int v = 0; v < N; ++v) acc[g][v] = V::fma(weight, x[v], acc[g][v]);
    }
  }
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

// Vectors of columns that a pass takes for G heads.
template <class V, int G>
constexpr int values_vectors() {
  constexpr int kFit = V::kAccumulators / G;
  return kFit < 8 ? kFit : 8;
}

template <class V, class B, int G, class Ahead>
[[gnu::always_inline]] inline void add_values_heads(const ValuesArgs& a, int64_t begin, int64_t end, int64_t g0,
                                                    Ahead& ahead) {
  constexpr int N = values_vectors<V, G>();
  int64_t c = 0;
  for (; c + N * V::kWidth <= a.d; c += N * V::kWidth) add_values<V, B, N, G>(a, begin, end, c, g0, ahead);
  for (; c + V::kWidth <= a.d; c += V::kWidth) add_values<V, B, 1, G>(a, begin, end, c, g0, ahead);
  if (c < a.d) add_last_values<V, B, G>(a, begin, end, c, g0);
}

// Whole passes of vectors over a block of rows.
template <class V, int G>
constexpr int64_t values_passes(int64_t d) {
  constexpr int64_t kColumns = values_vectors<V, G>() * V::kWidth;
  return d / kColumns > 0 ? d / kColumns : 1;
}

template <class V, class B, class Ahead>
[[gnu::always_inline]] inline void add_rows(const ValuesArgs& a, int64_t begin, int64_t end, Ahead& ahead) {
  int64_t g = 0;
  for (; g + 4 <= a.group; g += 4) add_values_heads<V, B, 4>(a, begin, end, g, ahead);
  for (; g + 2 <= a.group; g += 2) add_values_heads<V, B, 2>(a, begin, end, g, ahead);
  for (; g < a.group; ++g) add_values_heads<V, B, 1>(a, begin, end, g, ahead);
}

// A few rows at a time: those that need several passes stay in L1 between them.
template <class V, class B>
void values(const ValuesArgs& a) noexcept {
  constexpr int64_t kRows = 32;
  static_assert(kRows <= kRowsAhead);
  const int64_t passes = a.group >= 4 ? a.group / 4 * values_passes<V, 4>(a.d) : values_passes<V, 1>(a.d) * a.group;
  const auto end_of = [&](int64_t i) { return i + kRows < a.n ? i + kRows : a.n; };
  if (asks_for<V>(a.next)) {
    PageAhead<V> page(a.next, a.n * passes);
    for (int64_t i = 0; i < a.n; i += kRows) add_rows<V, B>(a, i, end_of(i), page);
    return;
  }
  const int64_t size = row_size<B>(a.d), share = (size + passes - 1) / passes;
  for (int64_t i = 0; i < a.n; i += kRows) {
    RowsAhead rows{a.rows + end_of(i), a.rows + end_of(i) + kRows, size, share};
    add_rows<V, B>(a, i, end_of(i), rows);
  }
}
