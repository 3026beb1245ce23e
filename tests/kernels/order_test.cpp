// Bit for bit: decode, page by page, gives what prefill gives over panels, and a head what it gives in any group.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

#include "base/checked.h"
#include "tests/kernels/activations.h"
#include "tests/kernels/cache_memory.h"
#include "tests/kernels/tier_test.h"

namespace skald {
namespace {

class Order : public test::TierTest {
 protected:
  std::vector<float> row_scores(const Format& f, const test::Activations& q, int64_t head, int64_t group,
                                const test::CacheRows& keys, int64_t n, int64_t d) const {
    std::vector<float> out(static_cast<size_t>(group * n));
    kernels().row_scores[f.id]({q.bytes.data() + head * q.stride, q.stride, group, keys.rows.data(), n, d, out.data(), n});
    return out;
  }
  std::vector<float> dim_scores(const Format& f, const float* q, int64_t group, const test::KeyPage& page, int64_t n,
                                int64_t d) const {
    std::vector<float> out(static_cast<size_t>(group * kPageKeys));
    kernels().dim_scores[f.id]({q, d, group, page.keys(), page.stride, page.next(), n, d, out.data(), kPageKeys});
    return out;
  }
  std::vector<float> values(const Format& f, const float* p, int64_t group, const test::CacheRows& rows, int64_t n,
                            int64_t d, std::vector<float> out) const {
    kernels().values[f.id]({p, n, group, rows.rows.data(), n, d, out.data(), d, rows.next(n)});
    return out;
  }
  std::vector<float> gemm(const float* a, const std::vector<float>& b, int64_t m, int64_t k, int64_t panels, bool add,
                          std::vector<float> c) const {
    kernels().panel_gemm({a, k, b.data(), c.data(), panels * kPanel, m, k, panels, add});
    return c;
  }

  // Keys in rows and by dimensions.
  void rows_as_dimensions(const Format& f, int64_t group, int64_t n, int64_t d) const {
    const test::KeyPage page(f, n, d, 1);
    const test::CacheRows keys(f, n, d, 1);
    ASSERT_EQ(page.values, keys.values);
    const std::vector<float> q = test::normal(group * d, 2), want = dim_scores(f, q.data(), group, page, n, d);
    for (const NextPage& next : {NextPage{}, keys.next(n)}) {
      test::Guarded<float> got(group * kPageKeys);
      const auto q_stride = d * static_cast<int64_t>(sizeof(float));
      kernels().row_scores_in_order[f.id]({q.data(), q_stride, group, keys.rows.data(), n, d, got.data(), kPageKeys, next});
      const auto some = static_cast<size_t>(n);
      for (int64_t g = 0; g < group; ++g) {
        ASSERT_TRUE(test::same_bits({got.data() + g * kPageKeys, some}, test::row_of(want, g, kPageKeys).first(some)))
            << f.name << ", head " << g << " of " << group << ", " << n << " keys of " << d;
        ASSERT_TRUE(got.untouched(g * kPageKeys + n) || n == kPageKeys) << "after the scores of head " << g;
      }
      ASSERT_TRUE(got.intact());
    }
  }

  void scores_as_panels(const Format& f, int64_t group, int64_t n, int64_t d) const {
    const test::KeyPage page(f, n, d, 1);
    const std::vector<float> q = test::normal(group * d, 2);
    std::vector<float> panels(static_cast<size_t>(kPageKeys * d));
    kernels().unpack_key_dims[f.id]({nullptr, page.keys(), page.stride, n, d, panels.data()});
    const std::vector<float> decode = dim_scores(f, q.data(), group, page, n, d);
    const std::vector<float> prefill = gemm(q.data(), panels, group, d, kPageKeys / kPanel, false,
                                            std::vector<float>(static_cast<size_t>(group * kPageKeys)));
    for (int64_t g = 0; g < group; ++g)
      ASSERT_TRUE(test::same_bits(test::row_of(decode, g, kPageKeys).first(static_cast<size_t>(n)),
                                  test::row_of(prefill, g, kPageKeys).first(static_cast<size_t>(n))))
          << f.name << ", head " << g << " of " << group << ", " << n << " keys of " << d;
  }

  // The result of a tier that rounds weights: their codes meet the values' in integers.
  void rounded_block_values(const Format& f, int64_t group, int64_t n, int64_t d) const {
    const test::CacheRows rows(f, n, d, 1);
    const std::vector<float> p = test::normal(group * n, 2), before = test::normal(group * d, 3);
    const std::vector<float> decode = values(f, p.data(), group, rows, n, d, before);
    for (int64_t g = 0; g < group; ++g)
      for (int64_t c = 0; c < d; ++c) {
        const std::span<const float> own = test::row_of(p, g, n);
        std::vector<float> weights, scales;
        float top = 0;
        for (int64_t i = 0; i < n; ++i) {
          scales.push_back(scale_of(f, rows.rows[static_cast<size_t>(i)], c / f.block * f.block));
          weights.push_back(own[static_cast<size_t>(i)] * scales.back());
          top = std::max(top, std::abs(weights.back()));
        }
        int64_t sum = 0;
        for (int64_t i = 0; i < n; ++i) {
          const auto at = static_cast<size_t>(i);
          const float code = rows.values[static_cast<size_t>(i * d + c)] / scales[at];
          sum += std::lround(code) * static_cast<int64_t>(std::nearbyint(weights[at] * (test::kMostWeight / top)));
        }
        const auto at = static_cast<size_t>(g * d + c);
        ASSERT_EQ(decode[at], std::fma(static_cast<float>(sum), top * (1 / test::kMostWeight), before[at]))
            << f.name << ", head " << g << " of " << group << ", " << n << " values of " << d << ", column " << c;
      }
  }

  // Blocks' scales meet the weights, and the product their codes: exact, as a scale has 11 bits and a code 8. The scalar
  // tier has no weights with scales.
  void block_values_as_panels(const Format& f, int64_t group, int64_t n, int64_t d) const {
    if (test::rounds_weights(kernels().tier, f, group)) return rounded_block_values(f, group, n, d);
    if (std::string_view(kernels().tier) == "scalar") return values_as_panels(f, group, n, d);
    const test::CacheRows rows(f, n, d, 1);
    const std::vector<float> p = test::normal(group * n, 2), before = test::normal(group * d, 3);
    const std::vector<float> decode = values(f, p.data(), group, rows, n, d, before);
    std::vector<float> panels(static_cast<size_t>(kPageKeys * d));
    kernels().unpack_values[f.id]({rows.rows.data(), nullptr, 0, n, d, panels.data()});
    for (int64_t first = 0; first < d; first += f.block) {
      std::vector<float> codes(panels.begin() + first * kPageKeys, panels.begin() + (first + f.block) * kPageKeys);
      std::vector<float> weights(static_cast<size_t>(group * kPageKeys)), out;
      for (int64_t i = 0; i < n; ++i) {
        const float scale = scale_of(f, rows.rows[static_cast<size_t>(i)], first);
        for (int64_t c = 0; c < f.block; ++c)
          codes[static_cast<size_t>((c / kPanel * kPageKeys + i) * kPanel + c % kPanel)] /= scale;
        for (int64_t g = 0; g < group; ++g)
          weights[static_cast<size_t>(g * kPageKeys + i)] = p[static_cast<size_t>(g * n + i)] * scale;
      }
      for (int64_t g = 0; g < group; ++g)
        std::ranges::copy(columns_of(before, g, d, first, f.block), std::back_inserter(out));
      const std::vector<float> prefill = gemm(weights.data(), codes, group, kPageKeys, f.block / kPanel, true, out);
      for (int64_t g = 0; g < group; ++g)
        ASSERT_TRUE(test::same_bits(columns_of(decode, g, d, first, f.block), test::row_of(prefill, g, f.block)))
            << f.name << ", head " << g << " of " << group << ", " << n << " values of " << d << " from " << first;
    }
  }
  // A block begins with its scale.
  static float scale_of(const Format& f, const std::byte* row, int64_t column) {
    float scale;
    find_format("f16")->decode(row + f.bytes(column), &scale, 1);
    return scale;
  }
  static std::span<const float> columns_of(const std::vector<float>& matrix, int64_t row, int64_t d, int64_t first,
                                           int64_t columns) {
    return test::row_of(matrix, row, d).subspan(static_cast<size_t>(first), static_cast<size_t>(columns));
  }

  // Missing keys have the weight 0 and zeros as values.
  void values_as_panels(const Format& f, int64_t group, int64_t n, int64_t d) const {
    const test::CacheRows rows(f, n, d, 1);
    const int64_t columns = round_up(d, kPanel);
    const std::vector<float> p = test::normal(group * n, 2), before = test::normal(group * d, 3);
    std::vector<float> panels(static_cast<size_t>(kPageKeys * columns)), weights(static_cast<size_t>(group * kPageKeys)),
        wide(static_cast<size_t>(group * columns));
    kernels().unpack_values[f.id]({rows.rows.data(), nullptr, 0, n, d, panels.data()});
    for (int64_t g = 0; g < group; ++g) {
      std::ranges::copy(test::row_of(p, g, n), weights.begin() + g * kPageKeys);
      std::ranges::copy(test::row_of(before, g, d), wide.begin() + g * columns);
    }
    const std::vector<float> decode = values(f, p.data(), group, rows, n, d, before);
    const std::vector<float> prefill = gemm(weights.data(), panels, group, kPageKeys, columns / kPanel, true, wide);
    for (int64_t g = 0; g < group; ++g)
      ASSERT_TRUE(
          test::same_bits(test::row_of(decode, g, d), test::row_of(prefill, g, columns).first(static_cast<size_t>(d))))
          << f.name << ", head " << g << " of " << group << ", " << n << " values of " << d;
  }
};

TEST_P(Order, ScoresByDimensionsAreThoseOfPanels) {
  for (const Format* f : test::plain_formats()) {
    for (int64_t d : test::head_sizes(*f)) scores_as_panels(*f, 5, 37, d);
    for (int64_t n : {1, 8, 15, 17, 48, 49, 64})
      for (int64_t group : {1, 2, 4, 7}) scores_as_panels(*f, group, n, 80);
  }
}

TEST_P(Order, ScoresOfRowsAreThoseOfDimensions) {
  for (const Format* f : test::plain_formats()) {
    for (int64_t d : test::head_sizes(*f)) rows_as_dimensions(*f, 5, 37, d);
    for (int64_t n : {1, 8, 15, 17, 48, 49, 64})
      for (int64_t group = 1; group <= 9; ++group) rows_as_dimensions(*f, group, n, 80);
  }
}

TEST_P(Order, ValuesAreThoseOfPanels) {
  for (const Format* f : test::plain_formats()) {
    for (int64_t d : test::head_sizes(*f)) values_as_panels(*f, 5, 37, d);
    for (int64_t n : {1, 8, 15, 17, 64})
      for (int64_t group : {1, 2, 4, 7}) values_as_panels(*f, group, n, 96);
  }
}

TEST_P(Order, ValuesOfBlocksAreThoseOfPanelsOfTheirCodes) {
  for (const Format* f : test::block_formats()) {
    for (int64_t d : test::head_sizes(*f)) block_values_as_panels(*f, 5, 37, d);
    for (int64_t n : {1, 8, 15, 17, 64})
      for (int64_t group : {1, 2, 4, 7}) block_values_as_panels(*f, group, n, 96);
  }
}

TEST_P(Order, AHeadsRowScoresDoNotDependOnItsGroup) {
  for (const Format* f : test::cache_formats())
    for (int64_t d : test::head_sizes(*f))
      for (int64_t n : {1, 13, 64}) {
        const test::CacheRows keys(*f, n, d, 1);
        const test::Activations q(kernels().score_act[f->id], test::normal(5 * d, 2), 5, d);
        const std::vector<float> all = row_scores(*f, q, 0, 5, keys, n, d);
        for (int64_t g = 0; g < 5; ++g)
          ASSERT_TRUE(test::same_bits(row_scores(*f, q, g, 1, keys, n, d), test::row_of(all, g, n)))
              << f->name << ", head " << g << ", " << n << " keys of " << d;
      }
}

TEST_P(Order, AHeadsDimScoresDoNotDependOnItsGroup) {
  for (const Format* f : test::plain_formats())
    for (int64_t d : test::head_sizes(*f))
      for (int64_t n : {1, 13, 64}) {
        const test::KeyPage page(*f, n, d, 1);
        const std::vector<float> q = test::normal(5 * d, 2), all = dim_scores(*f, q.data(), 5, page, n, d);
        for (int64_t g = 0; g < 5; ++g) {
          const std::vector<float> alone = dim_scores(*f, q.data() + g * d, 1, page, n, d);
          ASSERT_TRUE(
              test::same_bits(test::row_of(alone, 0, n), test::row_of(all, g, kPageKeys).first(static_cast<size_t>(n))))
              << f->name << ", head " << g << ", " << n << " keys of " << d;
        }
      }
}

// Where weights of large groups are rounded and those of small ones are not: in any large one.
TEST_P(Order, AHeadsValuesDoNotDependOnItsGroup) {
  constexpr int64_t kGroup = 7;
  for (const Format* f : test::cache_formats())
    for (int64_t d : test::head_sizes(*f))
      for (int64_t n : {1, 13, 64}) {
        const test::CacheRows rows(*f, n, d, 1);
        const std::vector<float> p = test::normal(kGroup * n, 2), before = test::normal(kGroup * d, 3),
                                 all = values(*f, p.data(), kGroup, rows, n, d, before);
        const int64_t few = test::rounds_weights(kernels().tier, *f, kGroup) ? 3 : 1;
        for (int64_t g = 0; g + few <= kGroup; ++g) {
          const auto of_few = [&](const std::vector<float>& x) {
            return std::span(x).subspan(static_cast<size_t>(g * d), static_cast<size_t>(few * d));
          };
          ASSERT_TRUE(test::same_bits(
              values(*f, p.data() + g * n, few, rows, n, d, {of_few(before).begin(), of_few(before).end()}), of_few(all)))
              << f->name << ", head " << g << ", " << n << " values of " << d;
        }
      }
}

TEST_P(Order, ARowsProductDoesNotDependOnTheOthers) {
  constexpr int64_t kRows = 30, kDepth = 80, kPanels = 3, kColumns = kPanels * kPanel;
  const std::vector<float> a = test::normal(kRows * kDepth, 1), b = test::normal(kDepth * kColumns, 2),
                           before = test::normal(kRows * kColumns, 3);
  for (bool add : {false, true}) {
    const std::vector<float> all = gemm(a.data(), b, kRows, kDepth, kPanels, add, before);
    for (int64_t r = 0; r < kRows; ++r) {
      const std::span<const float> mine = test::row_of(before, r, kColumns);
      ASSERT_TRUE(test::same_bits(gemm(a.data() + r * kDepth, b, 1, kDepth, kPanels, add, {mine.begin(), mine.end()}),
                                  test::row_of(all, r, kColumns)))
          << r;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Order, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
