// The key index of four bits by dot products of bytes, on tiers whose V has them: codes of four dimensions a lane. Queries
// times scales become integers of 7 bits below the largest of a pass's dimensions; sums of a pass are exact. Their rounding
// error is a tenth of the codes' own.
// Bound: the ports of vectors. Four dimensions of V::kPages pages take 8 to bring them side by side and 8 to 12 to tell
// halves of bytes apart, and per head 8 products. While they are worked on, the pages of the next block come from memory.
#pragma once

#include "kernels/generic/index.inl"
#include "kernels/generic/packed_int16.inl"

inline constexpr int64_t kFourPages = 16, kFourHeads = 8;          // whose factors are found together
inline constexpr int64_t kPageNibbles = kPageKeys / 2;             // bytes of a page's codes
inline constexpr int kHalfPage = static_cast<int>(kPageKeys) / 2;  // keys in the low halves of bytes

// Dimensions that are summed together, and fours of them.
template <class V>
inline constexpr int64_t kFours = V::kWideSums ? 16 : 8;
template <class V>
inline constexpr int64_t kFourColumns = 4 * kFours<V>;

// A chosen dimension of a piece of a run.
struct FourColumn {
  const std::byte* codes;  // of the first key's page
  const float* scales;     // likewise

  FourColumn() = default;
  [[gnu::always_inline]] FourColumn(const IndexScoresArgs& a, int64_t dim) {
    const IndexColumns shape{a.run_keys, KeyIndex::kInt4};
    const std::byte* const column = a.run + a.dims[dim] * shape.stride();
    codes = column + shape.codes(a.first);
    scales = reinterpret_cast<const float*>(column + shape.scales() + shape.numbers(a.first));
  }
};

// Chosen dimensions of a piece of a run that are read side by side. Missing ones of the last four, whose factors are 0, have
// the first one's codes.
template <class V>
struct FourPass {
  FourColumn columns[kFourColumns<V>];
  int64_t n, fours, first_column, pages;
  int64_t centres;  // floats from scales to centres

  FourPass(const IndexScoresArgs& a, int64_t first, int64_t n_columns)
      : n(n_columns),
        fours((n_columns + 3) / 4),
        first_column(first),
        pages(a.n / kPageKeys),
        centres(a.run_keys / kPageKeys) {
    for (int64_t c = 0; c < n; ++c) columns[c] = FourColumn(a, first + c);
    for (int64_t c = n; c < 4 * fours; ++c) columns[c] = columns[0];
  }

  // Asks for the share-th of kFourPages / 2 shares of the block of pages that begins with `page`, if there is one.
  [[gnu::always_inline]] void ask(int64_t page, int64_t share) const {
    if (page >= pages) return;
    for (int64_t c = 0; c < n; ++c) __builtin_prefetch(columns[c].codes + page * kPageNibbles + share * 64);
    const int64_t from = n * share / (kFourPages / 2), to = n * (share + 1) / (kFourPages / 2);
    for (int64_t c = from; c < to; ++c) {
      __builtin_prefetch(columns[c].scales + page);
      __builtin_prefetch(columns[c].scales + page + centres);
    }
  }
};

// The factors of a pass's codes, for some heads and pages, and what is added to a page's sums.
template <class V>
struct FourFactors {
  alignas(64) int32_t fours[kFourHeads][kFours<V>][kFourPages];  // four dimensions' integers
  alignas(64) float unit[kFourHeads][kFourPages], base[kFourHeads][kFourPages];

  // Of `pages` pages from `page` on and `heads` heads from g0 on; missing dimensions are zeros.
  [[gnu::noinline]] void set(const IndexScoresArgs& a, const FourPass<V>& pass, int64_t page, int64_t pages, int64_t g0,
                             int64_t heads) {
    for (int64_t i = 0; i < pages; i += V::kWidth) {
      typename V::F scale[kFourColumns<V>], centre[kFourColumns<V>];
      for (int64_t c = 0; c < pass.n; ++c) {
        const float* const numbers = pass.columns[c].scales + page + i;
        scale[c] = load_up_to<V>(numbers, pages - i);
        centre[c] = load_up_to<V>(numbers + pass.centres, pages - i);
      }
      for (int64_t c = pass.n; c < 4 * pass.fours; ++c) scale[c] = centre[c] = V::zero();
      for (int64_t g = 0; g < heads; ++g)
        set_head(a.q + (g0 + g) * a.q_stride + pass.first_column, pass, scale, centre, g, i);
    }
  }

 private:
  // Four chains of maxima and of sums run side by side.
  [[gnu::always_inline]] void set_head(const float* q, const FourPass<V>& pass, const typename V::F* scale,
                                       const typename V::F* centre, int64_t g, int64_t i) {
    using F = typename V::F;
    using Dot = typename V::template Dot<0, 15>;
    F factor[kFourColumns<V>], largest[4], middle[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      largest[j] = V::set1(0x1p-100f);
      middle[j] = V::zero();
    }
    for (int64_t c = 0; c < 4 * pass.fours; c += 4)
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        const F x = V::set1(c + j < pass.n ? q[c + j] : 0.0f);
        factor[c + j] = V::mul(x, scale[c + j]);
        largest[j] = V::max_magnitude(largest[j], factor[c + j]);
        middle[j] = V::fma(x, centre[c + j], middle[j]);
      }
    const F most = V::max_magnitude(V::max_magnitude(largest[0], largest[1]), V::max_magnitude(largest[2], largest[3]));
    const F per_unit = V::div(V::set1(127.0f), most);
    const auto integer = [&](int64_t c) __attribute__((always_inline)) {
      return V::fma(factor[c], per_unit, V::set1(kToInteger));
    };
    typename Dot::Sum codes = Dot::start(0);
    for (int64_t f = 0; f < pass.fours; ++f) {
      const F x[4] = {integer(4 * f), integer(4 * f + 1), integer(4 * f + 2), integer(4 * f + 3)};
      const typename V::W four = V::low_bytes(x);
      codes = Dot::dot(codes, V::set1_w(0x01010101), four);
      V::store_w(fours[g][f] + i, four);
    }
    const F step = V::mul(most, V::set1(1 / 127.0f));
    const F of_centres = V::add(V::add(middle[0], middle[1]), V::add(middle[2], middle[3]));
    V::store(unit[g] + i, step);
    V::store(base[g] + i, V::fma(V::mul(step, V::set1(-7.5f)), Dot::finish(codes, 0), of_centres));
  }
};

// The codes of a pass for V::kPages pages, four dimensions beside each other: in even vectors of the keys that lie in low
// halves of bytes, in odd ones of the others.
template <class V>
struct FourCodes {
  static constexpr int kVectors = 8;
  // High halves stay where they are, if sums have room for it.
  static constexpr float kOfHigh = V::kWideSums ? 1 / 16.0f : 1.0f;
  alignas(64) std::byte bytes[kFours<V>][kVectors][sizeof(typename V::W)];

  [[gnu::always_inline]] void unpack(const FourPass<V>& pass, int64_t page, bool whole) {
    for (int64_t f = 0; f < pass.fours; ++f) {
      typename V::W packed[4];
#pragma GCC unroll 4
      for (int64_t c = 0; c < 4; ++c) {
        const std::byte* const codes = pass.columns[4 * f + c].codes + page * kPageNibbles;
        packed[c] = whole ? V::load_w(codes) : V::load_page_nibbles(codes);
      }
      V::interleave_fours(packed);
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) {
        V::store_w(bytes[f][2 * v], V::low_nibbles(packed[v]));
        V::store_w(bytes[f][2 * v + 1], V::kWideSums ? V::bits(packed[v], 0, 0xf0) : V::high_nibbles(packed[v]));
      }
    }
  }
};

// Scores of `pages` pages, at most V::kPages, and G heads: the sums of earlier passes are added to, if this is not the
// first.
template <class V, int G, bool kFirst>
[[gnu::always_inline]] inline void four_dots(const FourCodes<V>& codes, const FourFactors<V>& factors, int64_t fours,
                                             int64_t page, int64_t pages, int64_t head, float* scores, int64_t stride) {
  using Dot = typename V::template Dot<0, 15>;
  constexpr int N = FourCodes<V>::kVectors, kOfPage = kHalfPage / V::kWidth;
  typename Dot::Sum sums[G][N];
#pragma GCC unroll 8
  for (int g = 0; g < G; ++g)
#pragma GCC unroll 8
    for (int v = 0; v < N; ++v) sums[g][v] = Dot::start(0);
  for (int64_t f = 0; f < fours; ++f) {
    typename V::W factor[G];
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) factor[g] = V::set_pages(factors.fours[head + g][f] + page);
#pragma GCC unroll 8
    for (int v = 0; v < N; ++v) {
      const typename V::W x = V::load_w(codes.bytes[f][v]);
#pragma GCC unroll 8
      for (int g = 0; g < G; ++g) {
        sums[g][v] = Dot::dot(sums[g][v], x, factor[g]);
        V::pin(sums[g][v]);
      }
    }
  }
#pragma GCC unroll 8
  for (int g = 0; g < G; ++g)
#pragma GCC unroll 2
    for (int high = 0; high < 2; ++high) {
      typename Dot::Sum keys[4] = {sums[g][high], sums[g][high + 2], sums[g][high + 4], sums[g][high + 6]};
      V::order_pages(keys);
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) {
        const int of = v / kOfPage;
        if (of >= pages) break;
        const float unit = factors.unit[head + g][page + of] * (high ? FourCodes<V>::kOfHigh : 1.0f);
        const typename V::F base = V::set1(factors.base[head + g][page + of]);
        float* at = scores + g * stride + of * kPageKeys + high * kHalfPage + v % kOfPage * V::kWidth;
        const typename V::F before = kFirst ? base : V::add(V::load(at), base);
        V::store(at, V::fma(Dot::finish(keys[v], 0), V::set1(unit), before));
      }
    }
}

// `pages` pages from `first` on, of `heads` heads from g0 on.
template <class V, bool kFirst>
[[gnu::noinline]] void four_pages(const IndexScoresArgs& a, const FourPass<V>& pass, int64_t first, int64_t pages,
                                  int64_t g0, int64_t heads) {
  constexpr int kMost = V::kWidth == 16 ? 3 : 1;  // heads: 24 sums, or eight
  FourFactors<V> factors;
  FourCodes<V> codes;
  factors.set(a, pass, first, pages, g0, heads);
  for (int64_t page = 0; page < pages; page += V::kPages) {
    const int64_t some = pages - page < V::kPages ? pages - page : V::kPages;
    if (g0 == 0 && page % 2 == 0) pass.ask(first + kFourPages, page / 2);
    codes.unpack(pass, first + page, some == V::kPages);
    float* scores = a.scores + g0 * a.scores_stride + (first + page) * kPageKeys;
    const auto dots = [&]<int G>(int64_t g) __attribute__((always_inline)) {
      four_dots<V, G, kFirst>(codes, factors, pass.fours, page, some, g, scores + g * a.scores_stride, a.scores_stride);
    };
    pass_over_heads<kMost>(heads, dots);
  }
}

template <NibbleFours V>
void index_scores_int4(const IndexScoresArgs& a) noexcept {
  const int64_t passes = (a.k1 + kFourColumns<V> - 1) / kFourColumns<V>, columns = (a.k1 + passes - 1) / passes;
  for (int64_t c = 0; c < a.k1; c += columns) {
    const FourPass<V> pass(a, c, a.k1 - c < columns ? a.k1 - c : columns);
    for (int64_t share = 0; share < kFourPages / 2; ++share) pass.ask(0, share);
    for (int64_t page = 0; page < pass.pages; page += kFourPages) {
      const int64_t left = pass.pages - page, pages = left < kFourPages ? left : kFourPages;
      for (int64_t g = 0; g < a.group; g += kFourHeads) {
        const int64_t heads = a.group - g < kFourHeads ? a.group - g : kFourHeads;
        c == 0 ? four_pages<V, true>(a, pass, page, pages, g, heads) : four_pages<V, false>(a, pass, page, pages, g, heads);
      }
    }
  }
}
