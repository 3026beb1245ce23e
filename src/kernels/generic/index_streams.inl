// The key index by floats, a few dimensions at a time from one end of a run to the other. It is for tiers whose cores fetch
// this few streams faster by themselves than when they are asked to.
// Bound: for bytes the instructions, three for V::kWidth keys of a dimension and one more per further head; for halves read
// bandwidth.
#pragma once

#include "kernels/generic/index.inl"

// NC chosen dimensions from the first-th on, for G heads: earlier sums are added to.
template <class V, class C, int NC, int G>
struct IndexStreams {
  static constexpr int N = key_vectors<V, G>();  // at a time

  const IndexScoresArgs& a;
  const float* q;  // of the first head
  float* scores;   // likewise
  bool first;
  const C* codes[NC];
  const float* scales[NC];

  [[gnu::always_inline]] IndexStreams(const IndexScoresArgs& args, int64_t column, int64_t g0)
      : a(args), q(a.q + g0 * a.q_stride + column), scores(a.scores + g0 * a.scores_stride), first(column == 0) {
    for (int c = 0; c < NC; ++c) point_at_column(a, a.run, column + c, a.first, codes[c], scales[c]);
  }

  [[gnu::always_inline]] void run() const {
    const int64_t pages = a.n / kPageKeys;
    for (int64_t page = 0; page < pages; page += V::kWidth) {
      const int64_t n = pages - page < V::kWidth ? pages - page : V::kWidth;
      alignas(64) float factors[NC][G][V::kWidth];
      find_factors(page, n, factors);
      for (int64_t p = 0; p < n; ++p) {
        const int64_t first_key = (page + p) * kPageKeys;
        for (int64_t i = 0; i < kPageKeys; i += N * V::kWidth) tile(&factors[0][0][p], first_key + i);
      }
    }
  }

 private:
  // Queries times the scales of n pages.
  [[gnu::always_inline]] void find_factors(int64_t page, int64_t n, float (&factors)[NC][G][V::kWidth]) const {
    for (int c = 0; c < NC; ++c) {
      typename V::F scale = V::set1(1.0f);
      if constexpr (sizeof(C) == 1) scale = n == V::kWidth ? V::load(scales[c] + page) : load_part<V>(scales[c] + page, n);
#pragma GCC unroll 4
      for (int g = 0; g < G; ++g) V::store(factors[c][g], V::mul(V::set1(q[g * a.q_stride + c]), scale));
    }
  }

  // A page's factors are V::kWidth apart.
  [[gnu::always_inline]] void tile(const float* factors, int64_t i) const {
    asm("" : "+r"(factors));  // so that they are not kept as vectors, which would not fit in registers
    typename V::F acc[G][N];
    for_each([&](int g, int v) __attribute__((always_inline)) {
      acc[g][v] = first ? V::zero() : V::load(scores + g * a.scores_stride + i + v * V::kWidth);
    });
#pragma GCC unroll 8
    for (int c = 0; c < NC; ++c) {
      typename V::F factor[G];
#pragma GCC unroll 4
      for (int g = 0; g < G; ++g) factor[g] = V::set1(factors[(c * G + g) * V::kWidth]);
#pragma GCC unroll 8
      for (int v = 0; v < N; ++v) {
        const typename V::F k = load_codes_floats<V>(codes[c] + i + v * V::kWidth);
#pragma GCC unroll 4
        for (int g = 0; g < G; ++g) acc[g][v] = V::fma(factor[g], k, acc[g][v]);
      }
    }
    for_each([&](int g, int v)
                 __attribute__((always_inline)) { V::store(scores + g * a.scores_stride + i + v * V::kWidth, acc[g][v]); });
  }

  template <class Fn>
  [[gnu::always_inline]] static void for_each(Fn f) {
#pragma GCC unroll 4
    for (int g = 0; g < G; ++g)
#pragma GCC unroll 8
      for (int v = 0; v < N; ++v) f(g, v);
  }
};

template <class V, class C, int NC>
[[gnu::noinline]] void index_streams(const IndexScoresArgs& a, int64_t column) {
  int64_t g = 0;
  for (; g + 4 <= a.group; g += 4) IndexStreams<V, C, NC, 4>(a, column, g).run();
  for (; g + 2 <= a.group; g += 2) IndexStreams<V, C, NC, 2>(a, column, g).run();
  for (; g < a.group; ++g) IndexStreams<V, C, NC, 1>(a, column, g).run();
}

template <class V, class C>
void index_scores_by_streams(const IndexScoresArgs& a) noexcept {
  int64_t c = 0;
  for (; c + 8 <= a.k1; c += 8) index_streams<V, C, 8>(a, c);
  for (; c + 4 <= a.k1; c += 4) index_streams<V, C, 4>(a, c);
  for (; c < a.k1; ++c) index_streams<V, C, 1>(a, c);
}
