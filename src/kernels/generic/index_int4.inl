// The key index of four bits by dot products of bytes, on tiers whose V has them: codes of four dimensions a lane. Queries
// times scales become integers of 7 bits below the largest of a pass's dimensions; sums of a pass are exact. Their rounding
// error is a tenth of the codes' own.
// Bound: latency of memory, for lines of a column come in pieces of 512 bytes; from caches the instructions. A page of four
// dimensions takes 20 vectors to unpack, and per head a product for V::kWidth keys.
#pragma once

#include "kernels/generic/index.inl"
#include "kernels/generic/packed_int16.inl"

// Sums of 16 bits, which tiers without a dot product of bytes use, hold eight steps of four dimensions.
inline constexpr int64_t kFours = 8, kFourPassColumns = 4 * kFours;
inline constexpr int64_t kFourPages = 16, kFourHeads = 8;  // whose factors are found together
inline constexpr int64_t kPageNibbles = kPageKeys / 2;     // bytes of a page's codes

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

// Chosen dimensions of a piece of a run that are read side by side.
struct FourPass {
  FourColumn columns[kFourPassColumns];
  int64_t n, first_column, pages;
  int64_t centres;  // floats from scales to centres

  FourPass(const IndexScoresArgs& a, int64_t first, int64_t n_columns)
      : n(n_columns), first_column(first), pages(a.n / kPageKeys), centres(a.run_keys / kPageKeys) {
    for (int64_t c = 0; c < n; ++c) columns[c] = FourColumn(a, first + c);
  }
};

// The factors of a pass's codes, for some heads and pages, and what is added to a page's sums.
template <class V>
struct FourFactors {
  alignas(64) int32_t fours[kFourHeads][kFours][kFourPages];  // four dimensions' integers
  alignas(64) float unit[kFourHeads][kFourPages], base[kFourHeads][kFourPages];

  // Of `pages` pages from `page` on and `heads` heads from g0 on; missing dimensions are zeros.
  [[gnu::noinline]] void set(const IndexScoresArgs& a, const FourPass& pass, int64_t page, int64_t pages, int64_t g0,
                             int64_t heads) {
    for (int64_t i = 0; i < pages; i += V::kWidth) {
      typename V::F scale[kFourPassColumns], centre[kFourPassColumns];
      for (int64_t c = 0; c < kFourPassColumns; ++c) {
        scale[c] = centre[c] = V::zero();
        if (c >= pass.n) continue;
        const float* const numbers = pass.columns[c].scales + page + i;
        scale[c] = load_up_to<V>(numbers, pages - i);
        centre[c] = load_up_to<V>(numbers + pass.centres, pages - i);
      }
      for (int64_t g = 0; g < heads; ++g)
        set_head(a.q + (g0 + g) * a.q_stride + pass.first_column, pass.n, scale, centre, g, i);
    }
  }

 private:
  [[gnu::always_inline]] void set_head(const float* q, int64_t columns, const typename V::F* scale,
                                       const typename V::F* centre, int64_t g, int64_t i) {
    typename V::F factor[kFourPassColumns], largest = V::set1(0x1p-100f), middle = V::zero(), codes = V::zero();
    for (int64_t c = 0; c < kFourPassColumns; ++c) {
      const typename V::F x = V::set1(c < columns ? q[c] : 0.0f);
      factor[c] = V::mul(x, scale[c]);
      largest = V::max_magnitude(largest, factor[c]);
      middle = V::fma(x, centre[c], middle);
    }
    const typename V::F per_unit = V::div(V::set1(127.0f), largest);
    const auto integer = [&](int64_t c) __attribute__((always_inline)) {
      const typename V::F x = V::fma(factor[c], per_unit, V::set1(kToInteger));
      codes = V::add(codes, V::sub(x, V::set1(kToInteger)));
      return x;
    };
    for (int64_t f = 0; f < kFours; ++f) {
      const typename V::F x[4] = {integer(4 * f), integer(4 * f + 1), integer(4 * f + 2), integer(4 * f + 3)};
      V::store_w(fours[g][f] + i, V::low_bytes(x));
    }
    const typename V::F step = V::mul(largest, V::set1(1 / 127.0f));
    V::store(unit[g] + i, step);
    V::store(base[g] + i, V::fma(V::mul(step, V::set1(-7.5f)), codes, middle));
  }
};

// The codes of a pass for some pages, and of one page four dimensions beside each other.
template <class V>
struct FourCodes {
  static constexpr int kVectors = kPageKeys / V::kWidth, kParts = kVectors / 4;  // V::load_page_nibbles gives parts
  static constexpr int64_t kVector = sizeof(typename V::W);
  alignas(64) std::byte pages[kFourPassColumns][kFourPages * kPageNibbles];
  alignas(64) std::byte bytes[kFours][kPageKeys * 4];

  // Copied, many lines wait for memory side by side: 15 to 20 % faster than unpacking each page from where it lies.
  [[gnu::always_inline]] void copy(const FourPass& pass, int64_t first, int64_t n) {
    for (int64_t c = 0; c < pass.n; ++c) {
      const std::byte* const from = pass.columns[c].codes + first * kPageNibbles;
      if (n == kFourPages)
        for (int64_t i = 0; i < kFourPages * kPageNibbles; i += kVector) V::store_w(pages[c] + i, V::load_w(from + i));
      else
        memcpy(pages[c], from, static_cast<size_t>(n * kPageNibbles));
    }
  }
  // Missing dimensions, whose factors are 0, have the first one's codes.
  [[gnu::always_inline]] void unpack(int64_t columns, int64_t page) {
    for (int64_t f = 0; 4 * f < columns; ++f) {
      typename V::W column[4][kParts];
#pragma GCC unroll 4
      for (int64_t c = 0; c < 4; ++c) {
        const int64_t dim = 4 * f + c < columns ? 4 * f + c : 0;
        V::load_page_nibbles(pages[dim] + page * kPageNibbles, column[c]);
      }
#pragma GCC unroll 2
      for (int part = 0; part < kParts; ++part) {
        typename V::W four[4] = {column[0][part], column[1][part], column[2][part], column[3][part]};
        V::interleave_fours(four);
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) V::store_w(at(f, part * 4 + v), four[v]);
      }
    }
  }
  [[gnu::always_inline]] std::byte* at(int64_t f, int v) { return bytes[f] + v * kVector; }
};

// A page's scores of G heads: the sums of earlier passes are added to, if this is not the first.
template <class V, int G, bool kFirst>
[[gnu::always_inline]] inline void four_dots(FourCodes<V>& codes, const FourFactors<V>& factors, const FourPass& pass,
                                             int64_t page, int64_t head, float* scores, int64_t stride) {
  using Dot = typename V::template Dot<0, 15>;
  constexpr int N = FourCodes<V>::kVectors;
  typename Dot::Sum sums[G][N];
#pragma GCC unroll 8
  for (int g = 0; g < G; ++g)
#pragma GCC unroll 8
    for (int v = 0; v < N; ++v) sums[g][v] = Dot::start(0);
  for (int64_t f = 0; 4 * f < pass.n; ++f) {
    typename V::W factor[G];
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) factor[g] = V::set1_w(factors.fours[head + g][f][page]);
#pragma GCC unroll 8
    for (int v = 0; v < N; ++v) {
      const typename V::W x = V::load_w(codes.at(f, v));
#pragma GCC unroll 8
      for (int g = 0; g < G; ++g) {
        sums[g][v] = Dot::dot(sums[g][v], x, factor[g]);
        V::pin(sums[g][v]);
      }
    }
  }
#pragma GCC unroll 8
  for (int g = 0; g < G; ++g) {
    const typename V::F unit = V::set1(factors.unit[head + g][page]), base = V::set1(factors.base[head + g][page]);
#pragma GCC unroll 8
    for (int v = 0; v < N; ++v) {
      float* at = scores + g * stride + v * V::kWidth;
      const typename V::F before = kFirst ? base : V::add(V::load(at), base);
      V::store(at, V::fma(Dot::finish(sums[g][v], 0), unit, before));
    }
  }
}

// `pages` pages from `first` on, of `heads` heads from g0 on.
template <class V, bool kFirst>
[[gnu::noinline]] void four_pages(const IndexScoresArgs& a, const FourPass& pass, int64_t first, int64_t pages, int64_t g0,
                                  int64_t heads) {
  constexpr int kTogether = V::kWidth == 16 ? 4 : 1;  // sixteen sums, or eight
  FourFactors<V> factors;
  FourCodes<V> codes;
  codes.copy(pass, first, pages);
  factors.set(a, pass, first, pages, g0, heads);
  for (int64_t page = 0; page < pages; ++page) {
    codes.unpack(pass.n, page);
    float* scores = a.scores + g0 * a.scores_stride + (first + page) * kPageKeys;
    int64_t g = 0;
    for (; g + kTogether <= heads; g += kTogether)
      four_dots<V, kTogether, kFirst>(codes, factors, pass, page, g, scores + g * a.scores_stride, a.scores_stride);
    for (; g < heads; ++g)
      four_dots<V, 1, kFirst>(codes, factors, pass, page, g, scores + g * a.scores_stride, a.scores_stride);
  }
}

template <NibbleFours V>
void index_scores_int4(const IndexScoresArgs& a) noexcept {
  const int64_t passes = (a.k1 + kFourPassColumns - 1) / kFourPassColumns, columns = (a.k1 + passes - 1) / passes;
  for (int64_t c = 0; c < a.k1; c += columns) {
    const FourPass pass(a, c, a.k1 - c < columns ? a.k1 - c : columns);
    for (int64_t page = 0; page < pass.pages; page += kFourPages) {
      const int64_t left = pass.pages - page, pages = left < kFourPages ? left : kFourPages;
      for (int64_t g = 0; g < a.group; g += kFourHeads) {
        const int64_t heads = a.group - g < kFourHeads ? a.group - g : kFourHeads;
        c == 0 ? four_pages<V, true>(a, pass, page, pages, g, heads) : four_pages<V, false>(a, pass, page, pages, g, heads);
      }
    }
  }
}
