// Scores of a query group against a page's keys: see RowScoresArgs and DimScoresArgs.
//
// Bound in decode: read bandwidth of K, reached with prefetches of the next keys.
#pragma once

#include "kernels/generic/cache_rows.inl"

// Asks for the next keys, while key i is worked on.
template <class V, class B>
struct KeysAhead {
  const RowScoresArgs& a;
  PageAhead<V> page{a.next, a.n};
  int64_t rows = rows_ahead<B>(a.d);

  // No earlier call has asked for the first of scattered rows.
  [[gnu::always_inline]] explicit KeysAhead(const RowScoresArgs& args) : a(args) {
    for (int64_t i = 0; a.next.bytes == 0 && i < rows && i < a.n; ++i) prefetch_row(a.rows[i], 0, row_size<B>(a.d));
  }
  // The scattered row to ask for, line by line, while key i is worked on. Null for a page's rows: ask(i) does it at once.
  [[gnu::always_inline]] const std::byte* row_ahead(int64_t i) const {
    return a.next.bytes == 0 ? a.rows[i + rows] : nullptr;
  }
  [[gnu::always_inline]] void ask(int64_t i) {
    if (asks_for<V>(a.next))
      page.ask();
    else
      prefetch_row(a.rows[i + rows], 0, row_size<B>(a.d));
  }
};

// K keys of d dimensions against G heads: an accumulator each over the dimensions. `later`: rows that are asked for on the
// way, if any. All lines at once would fill the core's buffers for misses, and the arithmetic after them would wait. On Zen
// 3, scattered keys of four heads then take a tenth longer.
template <class V, class B, int G, int K>
[[gnu::always_inline]] inline void score_keys(const float* const (&q)[G], const std::byte* const* rows, int64_t d,
                                              const std::byte* const (&later)[K], typename V::F (&acc)[G][K]) {
  const std::byte* row[K];
#pragma GCC unroll 2
  for (int k = 0; k < K; ++k) row[k] = rows[k];
#pragma GCC unroll 8
  for (int g = 0; g < G; ++g)
#pragma GCC unroll 2
    for (int k = 0; k < K; ++k) acc[g][k] = V::zero();
  const auto add = [&](const typename V::F(&x)[K], const auto& q_of) __attribute__((always_inline)) {
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) {
      typename V::F factor = q_of(g);
      if constexpr (K > 1) V::hold(factor);  // loaded once for all keys
#pragma GCC unroll 2
      for (int k = 0; k < K; ++k) acc[g][k] = V::fma(factor, x[k], acc[g][k]);
    }
  };
  const auto vectors = [&]<int N>(int64_t c) __attribute__((always_inline)) {
#pragma GCC unroll 4
    for (int v = 0; v < N; ++v) {
      typename V::F x[K];
#pragma GCC unroll 2
      for (int k = 0; k < K; ++k) x[k] = load_columns<V, B>(row[k], c + v * V::kWidth);
      add(
          x, [&](int g) __attribute__((always_inline)) { return V::load(q[g] + c + v * V::kWidth); });
    }
  };
  int64_t c = 0;
  const auto ask = [&](int64_t from, int64_t to) __attribute__((always_inline)) {
#pragma GCC unroll 2
    for (int k = 0; k < K; ++k) prefetch_row(later[k], row_size<B>(from), row_size<B>(to));
  };
  for (; c + 4 * V::kWidth <= d; c += 4 * V::kWidth) {
    if (later[0]) ask(c, c + 4 * V::kWidth);
    vectors.template operator()<4>(c);
  }
  if (later[0]) ask(c, d);
  for (; c + V::kWidth <= d; c += V::kWidth) vectors.template operator()<1>(c);
  if (c == d) return;
  typename V::F last[K];
#pragma GCC unroll 2
  for (int k = 0; k < K; ++k) last[k] = load_last_columns<V, B>(row[k], c, d - c);
  add(
      last, [&](int g) __attribute__((always_inline)) { return load_part<V>(q[g] + c, d - c); });
}

// n <= K keys and G heads, K * G <= V::kWidth, then one transposing sum. V::kKeysTogether keys at a time: while a row is
// awaited, the processor asks for those after it and finishes those that have come. All side by side would wait for the
// last. Two share the loads of many heads' queries.
template <class V, class B, int G>
[[gnu::always_inline]] inline void score_tile(const RowScoresArgs& a, int64_t i, int64_t n, int64_t g0,
                                              KeysAhead<V, B>& ahead) {
  constexpr int K = V::kWidth / G, kTogether = G > 4 && K > 1 ? 2 : V::kKeysTogether;
  const std::byte* const* rows = a.rows + i;
  const int64_t d = a.d;
  const float* q[G];
  for (int g = 0; g < G; ++g) q[g] = reinterpret_cast<const float*>(static_cast<const char*>(a.q) + (g0 + g) * a.q_stride);
  typename V::F acc[V::kWidth];
  for (int u = 0; (n < K || K * G < V::kWidth) && u < V::kWidth; ++u) acc[u] = V::zero();
  const auto keys = [&]<int N>(int64_t k) __attribute__((always_inline)) {
    const std::byte* later[N];
    for (int j = 0; j < N; ++j) later[j] = g0 == 0 ? ahead.row_ahead(i + k + j) : nullptr;
    for (int j = 0; j < N && g0 == 0 && !later[0]; ++j) ahead.ask(i + k + j);
    typename V::F sums[G][N];
    score_keys<V, B, G, N>(q, rows + k, d, later, sums);
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g)
#pragma GCC unroll 2
      for (int j = 0; j < N; ++j) acc[g * K + k + j] = sums[g][j];
  };
  int64_t k = 0;
  for (; k + kTogether <= n; k += kTogether) keys.template operator()<kTogether>(k);
  for (; k < n; ++k) keys.template operator()<1>(k);
  alignas(64) float sums[V::kWidth];
  V::store(sums, V::sum_each(acc));
  for (int g = 0; g < G; ++g) {
    float* scores = a.scores + (g0 + g) * a.scores_stride + i;
    if (n == K)
      std::memcpy(scores, sums + g * K, K * sizeof(float));
    else
      std::memcpy(scores, sums + g * K, static_cast<size_t>(n) * sizeof(float));
  }
}

template <class V, class B, int G>
[[gnu::always_inline]] inline void score_heads(const RowScoresArgs& a, int64_t i, int64_t end, int64_t g0,
                                               KeysAhead<V, B>& ahead) {
  constexpr int64_t K = V::kWidth / G;
  for (; i < end; i += K) score_tile<V, B, G>(a, i, end - i < K ? end - i : K, g0, ahead);
}

template <class V, class B>
void row_scores(const RowScoresArgs& a) noexcept {
  KeysAhead<V, B> ahead(a);
  for (int64_t i = 0; i < a.n; i += V::kWidth) {  // this many keys stay in L1 while all heads pass
    const int64_t end = a.n - i < V::kWidth ? a.n : i + V::kWidth;
    pass_over_heads<kHeadsTogether<V>>(
        a.group, [&]<int G>(int64_t g) __attribute__((always_inline)) { score_heads<V, B, G>(a, i, end, g, ahead); });
  }
}

// V::kWidth keys become columns in registers, `width` of them from column j on.
template <class V, class B, bool kWhole>
[[gnu::always_inline]] inline void load_square(const std::byte* const* rows, int64_t j, int64_t width,
                                               typename V::F (&square)[V::kWidth]) {
  if constexpr (kWhole) {
#pragma GCC unroll 16
    for (int k = 0; k < V::kWidth; ++k) square[k] = load_columns<V, B>(rows[k], j);
  } else {
#pragma GCC unroll 1
    for (int k = 0; k < V::kWidth; ++k) square[k] = load_last_columns<V, B>(rows[k], j, width);
  }
  V::transpose(square);
}

// N V::kWidth keys, of which n are there, and G heads. N chains of sums run side by side. Meanwhile the next keys are asked
// for, evenly.
template <class V, class B, int G, int N>
[[gnu::always_inline]] inline void score_columns(const RowScoresArgs& a, const std::byte* const* rows, int64_t i, int64_t n,
                                                 int64_t g0, KeysAhead<V, B>& ahead) {
  constexpr int kWidth = V::kWidth;
  const int64_t q_stride = a.q_stride / static_cast<int64_t>(sizeof(float));
  HeadNumbers q(static_cast<const float*>(a.q) + g0 * q_stride, q_stride);
  typename V::F acc[N][G];
#pragma GCC unroll 2
  for (int v = 0; v < N; ++v)
#pragma GCC unroll 16
    for (int g = 0; g < G; ++g) acc[v][g] = V::zero();
  int64_t asked = g0 == 0 ? 0 : n;
  const auto columns = [&]<bool kWhole>(int64_t j, int64_t width) __attribute__((always_inline)) {
    for (; asked * a.d < (j + width) * n; ++asked) ahead.ask(i + asked);
#pragma GCC unroll 2
    for (int v = 0; v < N; ++v) {
      typename V::F square[kWidth];
      load_square<V, B, kWhole>(rows + v * kWidth, j, width, square);
      const auto dimension = [&](int64_t k) __attribute__((always_inline)) {
#pragma GCC unroll 16
        for (int g = 0; g < G; ++g) acc[v][g] = V::fma(V::set1(q.of(g, k)), square[k], acc[v][g]);
      };
      if constexpr (kWhole) {
#pragma GCC unroll 16
        for (int k = 0; k < kWidth; ++k) dimension(k);
      } else {
#pragma GCC unroll 1
        for (int64_t k = 0; k < width; ++k) dimension(k);
      }
    }
    q.move(kWidth);
  };
  int64_t j = 0;
  for (; j + kWidth <= a.d; j += kWidth) columns.template operator()<true>(j, kWidth);
  if (j < a.d) columns.template operator()<false>(j, a.d - j);
  alignas(64) float sums[N * kWidth];
  for (int g = 0; g < G; ++g) {
#pragma GCC unroll 2
    for (int v = 0; v < N; ++v) V::store(sums + v * kWidth, acc[v][g]);
    std::memcpy(a.scores + (g0 + g) * a.scores_stride + i, sums, static_cast<size_t>(n) * sizeof(float));
  }
}

// Each score is one chain of fused multiply-adds over the dimensions in order, as by dim_scores: a cache in rows gives what
// one by dimensions gives. The last key stands in for those that are not there. The processor does not fetch rows that are
// read side by side: where values do not ask for the page, it is asked for row by row.
template <class V, class B>
void row_scores_in_order(const RowScoresArgs& args) noexcept {
  RowScoresArgs a = args;
  if (a.group <= V::kUnaskedHeads || a.group <= V::kAheadHeads) a.next = {};
  KeysAhead<V, B> ahead(a);
  constexpr int kFew = V::kWidth / 4;  // heads that leave registers for two vectors of keys
  const auto keys = [&]<int N>(int64_t i) __attribute__((always_inline)) {
    constexpr int64_t kAll = N * V::kWidth;
    constexpr int kMost = N == 1 ? kHeadsTogether<V> : kFew;
    const int64_t n = a.n - i < kAll ? a.n - i : kAll;
    const std::byte* some[kAll];
    for (int64_t k = 0; k < kAll; ++k) some[k] = a.rows[i + (k < n ? k : n - 1)];
    pass_over_heads<kMost>(
        a.group, [&]<int G>(int64_t g)
                     __attribute__((always_inline)) { score_columns<V, B, G, N>(a, some, i, n, g, ahead); });
    return n;
  };
  for (int64_t i = 0; i < a.n;) i += a.group <= kFew ? keys.template operator()<2>(i) : keys.template operator()<1>(i);
}

// Bytes of a dimension that score_dims works on at a time.
template <class V, class B, int N>
constexpr int64_t kDimBytes = row_size<B>(N* V::kWidth);

template <class B>
concept IsCode = requires {
  B::kLowest;
};

// How keys of dimensions ask: for the next page, evenly, or for the same keys of dimensions to come, a fixed way ahead.
enum class Asks { kNothing, kAhead, kEvenly };

// Asks for the next bytes: the next page, or the same keys of dimensions to come. Values are up to eight times as large as
// codes, and all of them are asked for; as large as other keys, or less.
template <class V, class B>
struct DimsAhead {
  const DimScoresArgs& a;
  PageAhead<V> page;

  template <int64_t kBytes, int kDims, Asks kAsks>
  [[gnu::always_inline]] inline void ask(int64_t dim, int64_t offset) {
    if constexpr (kAsks == Asks::kNothing) return;
    if constexpr (kAsks == Asks::kEvenly && IsCode<B>) return page.ask();
    if constexpr (kAsks == Asks::kEvenly) return page.template ask<kBytes * kDims>();
    const int64_t bytes = a.d * a.k_stride, at = dim * a.k_stride + kCacheAhead;
    const std::byte* later = (at < bytes ? a.keys + at : a.next.first + (at - bytes)) + offset;
#pragma GCC unroll 4
    for (int64_t line = 0; line < kBytes * kDims; line += 64) __builtin_prefetch(later + line);
  }
};

// Scores of N vectors of keys and G heads. Each score is one chain of fused multiply-adds over the dimensions in order, as
// in panel_gemm: decode and prefill give the same numbers.
template <class V, class B, int N, int G, Asks kAsks>
[[gnu::always_inline]] inline void score_dims(const DimScoresArgs& a, int64_t i, int64_t g0, DimsAhead<V, B>& ahead) {
  typename V::F acc[G][N];
#pragma GCC unroll 16
  for (int g = 0; g < G; ++g)
#pragma GCC unroll 16
    for (int v = 0; v < N; ++v) acc[g][v] = V::zero();
  const int64_t k_stride = a.k_stride, offset = row_size<B>(i);
  const std::byte* keys = a.keys;
  HeadNumbers q(a.q + g0 * a.q_stride, a.q_stride);
  const auto dimension = [&](int64_t j) __attribute__((always_inline)) {
    typename V::F factors[G];
#pragma GCC unroll 16
    for (int g = 0; g < G; ++g) factors[g] = V::set1(q.of(g, j));
#pragma GCC unroll 16
    for (int v = 0; v < N; ++v) {
      const typename V::F k = load_columns<V, B>(keys + j * k_stride, i + v * V::kWidth);
#pragma GCC unroll 16
      for (int g = 0; g < G; ++g) acc[g][v] = V::fma(factors[g], k, acc[g][v]);
    }
  };
  constexpr int kTogether = V::kAsksForPages ? steps_together<V, kDimBytes<V, B, N>>() : 1;
  DimsAhead<V, B> own = ahead;  // in registers
  int64_t j = 0;
  for (; j + kTogether <= a.d; j += kTogether, q.move(kTogether), keys += kTogether * k_stride) {
    own.template ask<kDimBytes<V, B, N>, kTogether, kAsks>(j, offset);
    dimension(0);
    if constexpr (kTogether > 1) dimension(1);
  }
  if (j < a.d) dimension(0);
  ahead.page = own.page;
#pragma GCC unroll 16
  for (int g = 0; g < G; ++g)
#pragma GCC unroll 16
    for (int v = 0; v < N; ++v) V::store(a.scores + (g0 + g) * a.scores_stride + i + v * V::kWidth, acc[g][v]);
}

// G heads in passes over as many keys as the registers allow.
template <class V, class B, int G, Asks kAsks>
[[gnu::always_inline]] inline void score_dims_heads(const DimScoresArgs& a, int64_t g0) {
  constexpr int N = key_vectors<V, G>();
  constexpr int64_t kPasses = kPageKeys / (N * V::kWidth);
  DimsAhead<V, B> ahead{a, {a.next, a.d * kPasses / steps_together<V, kDimBytes<V, B, N>>()}};
  int64_t i = 0;
  if (a.n > kPageKeys - N * V::kWidth)
    for (; i < kPageKeys; i += N * V::kWidth) score_dims<V, B, N, G, kAsks>(a, i, g0, ahead);
  for (; i < a.n; i += V::kWidth) score_dims<V, B, 1, G, Asks::kNothing>(a, i, g0, ahead);
}

// A group of at most kMost heads: they ask a fixed way ahead.
template <class V, class B, int kMost>
[[gnu::always_inline]] inline void score_few(const DimScoresArgs& a) {
  if constexpr (kMost > 0)
    pass_over_heads<kMost>(
        a.group, [&]<int G>(int64_t g) __attribute__((always_inline)) { score_dims_heads<V, B, G, Asks::kAhead>(a, g); });
}

template <class V, class B>
void dim_scores(const DimScoresArgs& a) noexcept {
  constexpr Asks kAsks = V::kAsksForPages ? Asks::kEvenly : Asks::kAhead;
  constexpr int kAhead = IsCode<B> ? 0 : V::kAheadHeads, kUnasked = IsCode<B> ? 0 : V::kUnaskedHeads;
  if (a.group <= kAhead) return score_few<V, B, kAhead>(a);
  pass_over_heads<kHeadsTogether<V>>(
      a.group, [&]<int G>(int64_t g) __attribute__((always_inline)) {
        g == 0 && a.group > kUnasked ? score_dims_heads<V, B, G, kAsks>(a, g)
                                     : score_dims_heads<V, B, G, Asks::kNothing>(a, g);
      });
}
