// Prefill's panels as sums of two bfloat16: their values, and products over them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "tests/kernels/tier_test.h"
#include "tests/support/guarded.h"
#include "tests/support/random.h"

namespace skald {
namespace {

double value_of(uint16_t bf16) { return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bf16) << 16)); }

class Bf16x2 : public test::TierTest {
 protected:
  void SetUp() override {
    test::TierTest::SetUp();
    if (!IsSkipped() && kernels().prefill_act != ActFormat::kBf16) GTEST_SKIP() << "this tier has no tiles";
  }

  /// Rows of k values, as the kernel splits them.
  std::vector<std::byte> split(const std::vector<float>& x, int64_t n, int64_t k, int64_t stride) const {
    test::Guarded<std::byte> rows(n * bf16x2_bytes(k));
    kernels().split_rows({x.data(), stride, rows.data(), n, k});
    EXPECT_TRUE(rows.intact());
    return {rows.values().begin(), rows.values().end()};
  }
};

/// Multiples of 2^-10 below 2: 11 bits, as f16 has them.
std::vector<float> halves(int64_t n) {
  std::vector<float> x = test::normal(n, 7);
  for (float& v : x) v = std::round(std::fmod(v, 2.0f) * 1024) / 1024;
  return x;
}

class SplitRows : public Bf16x2 {
 protected:
  void check(const std::vector<float>& x, int64_t n, int64_t k, double most) const {
    const int64_t stride = static_cast<int64_t>(x.size()) / n, padded = bf16x2_bytes(k) / 4;
    const std::vector<std::byte> bytes = split(x, n, k, stride);
    const auto* parts = reinterpret_cast<const uint16_t*>(bytes.data());
    for (int64_t r = 0; r < n; ++r)
      for (int64_t c = 0; c < padded; ++c) {
        const double want = c < k ? static_cast<double>(x[static_cast<size_t>(r * stride + c)]) : 0;
        const double high = value_of(parts[r * 2 * padded + c]), low = value_of(parts[(r * 2 + 1) * padded + c]);
        ASSERT_NEAR(high, want, std::abs(want) / 256) << "row " << r << ", " << c << " of " << k;
        ASSERT_NEAR(high + low, want, std::abs(want) * most) << "row " << r << ", " << c << " of " << k;
      }
  }
};

TEST_P(SplitRows, KeepsSixteenBitsOfEachValue) {
  for (int64_t k : {1, 15, 16, 17, 31, 32, 33, 64, 80, 128}) check(test::normal(3 * (k + 5), 1), 3, k, 0x1p-17);
}

TEST_P(SplitRows, IsExactForHalves) { check(halves(4 * 128), 4, 128, 0); }

TEST_P(SplitRows, MakesNothingOfZeros) { check(std::vector<float>(64, 0.0f), 1, 64, 0); }

INSTANTIATE_TEST_SUITE_P(All, SplitRows, testing::ValuesIn(tiers()), test::tier_name);

class SplitPanels : public Bf16x2 {};

TEST_P(SplitPanels, HoldsPairsOfRowsAndZerosAfterThem) {
  for (int64_t rows : {1, 2, 31, 32, 33, 64, 80}) {
    constexpr int64_t kPanels = 2;
    const int64_t blocks = (rows + kBf16x2Rows - 1) / kBf16x2Rows;
    const std::vector<float> x = test::normal(kPanels * rows * kPanel, 2);
    test::Guarded<PanelBf16x2> out(kPanels * blocks);
    kernels().split_panels({x.data(), kPanels, rows, out.data()});
    for (int64_t p = 0; p < kPanels; ++p)
      for (int64_t r = 0; r < blocks * kBf16x2Rows; ++r)
        for (int64_t c = 0; c < kPanel; ++c) {
          const PanelBf16x2& block = out[p * blocks + r / kBf16x2Rows];
          const int64_t pair = r % kBf16x2Rows / 2;
          const double high = value_of(block.high[c / 16][pair][c % 16][r % 2]),
                       low = value_of(block.low[c / 16][pair][c % 16][r % 2]);
          const double want = r < rows ? static_cast<double>(x[static_cast<size_t>((p * rows + r) * kPanel + c)]) : 0;
          ASSERT_NEAR(high + low, want, std::abs(want) * 0x1p-17) << "row " << r << " of " << rows << ", column " << c;
        }
    ASSERT_TRUE(out.intact());
  }
}

INSTANTIATE_TEST_SUITE_P(All, SplitPanels, testing::ValuesIn(tiers()), test::tier_name);

class PanelGemmBf16x2 : public Bf16x2 {
 protected:
  struct Shape {
    int64_t m, k, panels;
  };
  /// c (m, c_stride), of which the panels' columns are written.
  void multiply(const Shape& s, const std::vector<std::byte>& a, const test::Guarded<PanelBf16x2>& b, float* c,
                int64_t c_stride, bool add) const {
    kernels().panel_gemm_bf16x2({a.data(), b.data(), c, c_stride, s.m, s.k, s.panels, add});
  }
  test::Guarded<PanelBf16x2> panels(const std::vector<float>& x, const Shape& s) const {
    test::Guarded<PanelBf16x2> out(s.panels * ((s.k + kBf16x2Rows - 1) / kBf16x2Rows));
    kernels().split_panels({x.data(), s.panels, s.k, out.data()});
    return out;
  }
};

// Each product loses what its factors' parts leave out, 2^-17 of each, and that of their low parts, 2^-16.
TEST_P(PanelGemmBf16x2, IsTheProductOfAnyNumberOfRows) {
  for (const Shape& s : std::vector<Shape>{{1, 128, 2},
                                           {2, 33, 1},
                                           {15, 64, 4},
                                           {16, 1, 2},
                                           {17, 80, 2},
                                           {31, 64, 3},
                                           {32, 128, 2},
                                           {33, 32, 1},
                                           {64, 128, 2},
                                           {70, 31, 4}})
    for (const bool add : {false, true}) {
      SCOPED_TRACE(testing::Message() << s.m << " rows of " << s.k << " by " << s.panels << " panels, add " << add);
      const std::vector<float> x = test::normal(s.m * s.k, 3), y = test::normal(s.panels * s.k * kPanel, 4);
      const int64_t columns = s.panels * kPanel, stride = columns + 8;
      const std::vector<float> before = test::normal(s.m * stride, 5);
      test::Guarded<float> c(s.m * stride);
      for (int64_t r = 0; r < s.m && add; ++r) std::copy_n(before.begin() + r * stride, columns, c.data() + r * stride);
      multiply(s, split(x, s.m, s.k, s.k), panels(y, s), c.data(), stride, add);
      for (int64_t r = 0; r < s.m; ++r) {
        for (int64_t j = 0; j < columns; ++j) {
          double want = add ? static_cast<double>(before[static_cast<size_t>(r * stride + j)]) : 0, size = std::abs(want);
          for (int64_t i = 0; i < s.k; ++i) {
            const double term = static_cast<double>(x[static_cast<size_t>(r * s.k + i)]) *
                                static_cast<double>(y[static_cast<size_t>((j / kPanel * s.k + i) * kPanel + j % kPanel)]);
            want += term;
            size += std::abs(term);
          }
          ASSERT_NEAR(static_cast<double>(c[r * stride + j]), want, size * (0x1p-15 + 0x1p-24 * static_cast<double>(s.k)))
              << "row " << r << ", column " << j;
        }
        for (int64_t j = columns; j < stride; ++j) ASSERT_TRUE(c.untouched(r * stride + j)) << "after row " << r;
      }
      ASSERT_TRUE(c.intact());
    }
}

TEST_P(PanelGemmBf16x2, GivesARowTheSameBitsWhateverItsNeighbours) {
  const Shape all{70, 96, 2}, one{1, 96, 2};
  const std::vector<float> x = test::normal(all.m * all.k, 6), y = test::normal(all.panels * all.k * kPanel, 7);
  const test::Guarded<PanelBf16x2> b = panels(y, all);
  constexpr int64_t kStride = 2 * kPanel;
  std::vector<float> among(static_cast<size_t>(all.m * kStride)), alone(static_cast<size_t>(kStride));
  multiply(all, split(x, all.m, all.k, all.k), b, among.data(), kStride, false);
  for (int64_t r = 0; r < all.m; ++r) {
    const std::vector<float> row(x.begin() + r * all.k, x.begin() + (r + 1) * all.k);
    multiply(one, split(row, 1, one.k, one.k), b, alone.data(), kStride, false);
    ASSERT_TRUE(std::equal(alone.begin(), alone.end(), among.begin() + r * kStride)) << "row " << r;
  }
}

INSTANTIATE_TEST_SUITE_P(All, PanelGemmBf16x2, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
