// The key index of bytes by dot products of 16 bits, on tiers whose V multiplies pairs of them. There are two dimensions a
// lane, a third of the instructions that floats take. Queries times scales become integers of 12 bits below the largest of a
// pass's dimensions. Their rounding error is a 32nd of the codes' own; sums of a pass are exact.
// Bound: read bandwidth of the chosen dimensions; for groups the ports of dot products and shuffles. 4 * V::kWidth keys of
// two dimensions take 8 instructions, and 4 more per head.
#pragma once

#include "kernels/generic/index.inl"
#include "kernels/generic/packed_int16.inl"

// Codes enter as their 256-fold, which needs no sign extension: a pass's sums stay below 2^31.
inline constexpr float kCodeFactor = 256, kMostFactor = 4095;
static_assert(kPassColumns * 127.0 * kCodeFactor * kMostFactor < 0x1p31);

// The factors of a pass's codes, for G heads and kPages pages.
template <class V, int G>
struct IndexFactors {
  static constexpr int kPages = 16, kPairs = kPassColumns / 2;
  alignas(64) int32_t pairs[G][kPairs][kPages];  // two dimensions' integers
  alignas(64) float unit[G][kPages];

  // Of `pages` pages from `page` on; missing dimensions are zeros.
  [[gnu::noinline]] void set(const IndexScoresArgs& a, const IndexPass<int8_t>& pass, int64_t page, int64_t pages,
                             int64_t g0) {
    for (int64_t i = 0; i < pages; i += V::kWidth) {
      typename V::F scale[kPassColumns];
      for (int64_t c = 0; c < kPassColumns; ++c)
        scale[c] = c < pass.columns ? load_up_to<V>(pass.scales[c] + page + i, pages - i) : V::zero();
      for (int g = 0; g < G; ++g) {
        const float* q = a.q + (g0 + g) * a.q_stride + pass.first_column;
        typename V::F factor[kPassColumns], largest = V::set1(0x1p-100f);
        for (int64_t c = 0; c < kPassColumns; ++c) {
          factor[c] = c < pass.columns ? V::mul(V::set1(q[c]), scale[c]) : V::zero();
          largest = V::max_magnitude(largest, factor[c]);
        }
        const typename V::F per_unit = V::div(V::set1(kMostFactor), largest);
        const auto integer = [&](int c) __attribute__((always_inline)) {
          return V::fma(factor[c], per_unit, V::set1(kToInteger));
        };
        for (int p = 0; p < kPairs; ++p) V::store_w(pairs[g][p] + i, V::low_halves(integer(2 * p), integer(2 * p + 1)));
        V::store(unit[g] + i, V::mul(largest, V::set1(1 / (kMostFactor * kCodeFactor))));
      }
    }
  }
};

// 4 * V::kWidth keys from key i on, for G heads: the sums of earlier passes are added to.
template <class V, int G>
[[gnu::always_inline]] inline void index_quad(const IndexScoresArgs& a, const IndexPass<int8_t>& pass,
                                              const IndexFactors<V, G>& factors, int64_t page, int64_t i, int64_t g0) {
  using W = typename V::W;
  W acc[G][4];
#pragma GCC unroll 4
  for (int g = 0; g < G; ++g)
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) acc[g][v] = V::set1_w(0);
  for (int64_t c = 0; c < pass.columns; c += 2) {
    const int8_t* second = pass.codes[c + 1 < pass.columns ? c + 1 : c];  // its factor is 0
    W x[4];
    V::interleave_bytes(pass.codes[c] + i, second + i, x);
#pragma GCC unroll 4
    for (int g = 0; g < G; ++g) {
      const W factor = V::set1_w(factors.pairs[g][c / 2][page]);
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) {
        acc[g][v] = V::dot_pairs(acc[g][v], x[v], factor);
        V::hold(acc[g][v]);  // sums stay in their registers: GCC 12 copies them around at each step
      }
    }
  }
#pragma GCC unroll 4
  for (int g = 0; g < G; ++g) {
    const typename V::F unit = V::set1(factors.unit[g][page]);
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      float* at = a.scores + (g0 + g) * a.scores_stride + i + v * V::kWidth;
      V::store(at, V::fma(V::floats(acc[g][v]), unit, pass.first_column ? V::load(at) : V::zero()));
    }
  }
}

// `pages` pages from `first` on for G heads; the first ones ask for the next bytes.
template <class V, int G>
[[gnu::noinline]] void index_pages(const IndexScoresArgs& a, const IndexPass<int8_t>& pass, int64_t first, int64_t pages,
                                   int64_t g0) {
  IndexFactors<V, G> factors;
  factors.set(a, pass, first, pages, g0);
  for (int64_t page = 0; page < pages; ++page) {
    const int64_t key = (first + page) * kPageKeys;
    if (g0 == 0) pass.ask(key);
    for (int64_t i = key; i < key + kPageKeys; i += 4 * V::kWidth) index_quad<V, G>(a, pass, factors, page, i, g0);
  }
}

template <class V>
void index_scores_int16(const IndexScoresArgs& a) noexcept {
  constexpr int kMost = V::kAccumulators / 4;  // heads
  constexpr int64_t kPages = IndexFactors<V, 1>::kPages;
  for_index_passes<int8_t>(
      a, [&](const IndexPass<int8_t>& pass) __attribute__((always_inline)) {
        for (int64_t page = 0; page < a.n / kPageKeys; page += kPages) {
          const int64_t left = a.n / kPageKeys - page, pages = left < kPages ? left : kPages;
          int64_t g = 0;
          for (; g + kMost <= a.group; g += kMost) index_pages<V, kMost>(a, pass, page, pages, g);
          for (; g < a.group; ++g) index_pages<V, 1>(a, pass, page, pages, g);
        }
      });
}
