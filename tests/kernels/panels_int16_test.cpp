// Prefill's panels as integers of 16 bits: their values, and products over them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/kernels/tier_test.h"
#include "tests/support/guarded.h"
#include "tests/support/random.h"

namespace skald {
namespace {

constexpr double kMost = static_cast<double>(kActQ16Most);
constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

class Int16 : public test::TierTest {
 protected:
  void SetUp() override {
    test::TierTest::SetUp();
    if (!IsSkipped() && kernels().prefill_act != ActFormat::kQ16) GTEST_SKIP() << "this tier has other products";
  }
};

/// Panels (n_panels, rows, kPanel).
struct Panels {
  Panels(int64_t n_panels, int64_t rows, uint64_t seed)
      : n_panels(n_panels), rows(rows), values(test::normal(n_panels * rows * kPanel, seed)) {}
  float& at(int64_t panel, int64_t row, int64_t column) {
    return values[static_cast<size_t>((panel * rows + row) * kPanel + column)];
  }
  int64_t n_blocks() const { return n_panels * act_q16_blocks(rows); }
  const PanelQ16& block(const test::Guarded<PanelQ16>& blocks, int64_t panel, int64_t row) const {
    return blocks.data()[panel * act_q16_blocks(rows) + row / kActQ16Block];
  }
  int64_t n_panels, rows;
  std::vector<float> values;
};

int code(const PanelQ16& block, int64_t row, int64_t column) { return block.pairs[row % kActQ16Block / 2][column][row % 2]; }

class QuantizeKeys : public Int16 {
 protected:
  void quantize(const Panels& keys, test::Guarded<PanelQ16>& blocks) const {
    kernels().quantize_keys({keys.values.data(), keys.n_panels, keys.rows, blocks.data(), nullptr});
  }
};

TEST_P(QuantizeKeys, KeepsThirteenBitsBelowTheLargestOfThirtyTwo) {
  for (int64_t rows : {1, 2, 31, 32, 33, 64, 80, 128}) {
    Panels keys(2, rows, 1);
    test::Guarded<PanelQ16> blocks(keys.n_blocks());
    quantize(keys, blocks);
    for (int64_t p = 0; p < 2; ++p)
      for (int64_t first = 0; first < rows; first += kActQ16Block)
        for (int64_t c = 0; c < kPanel; ++c) {
          const PanelQ16& block = keys.block(blocks, p, first);
          float largest = 0;
          for (int64_t r = first; r < std::min(rows, first + kActQ16Block); ++r)
            largest = std::max(largest, std::abs(keys.at(p, r, c)));
          const auto unit = static_cast<double>(block.unit[c]);
          ASSERT_NEAR(unit * kMost, static_cast<double>(largest), 1e-6 * static_cast<double>(largest)) << rows << " rows";
          for (int64_t r = first; r < first + kActQ16Block; ++r) {
            const double want = r < rows ? static_cast<double>(keys.at(p, r, c)) : 0;
            ASSERT_NEAR(unit * code(block, r, c), want, 0.501 * unit) << "row " << r << " of " << rows;
          }
        }
    ASSERT_TRUE(blocks.intact());
  }
}

TEST_P(QuantizeKeys, LeavesNothingOfZeros) {
  Panels keys(1, 40, 1);
  std::ranges::fill(keys.values, 0.0f);
  test::Guarded<PanelQ16> blocks(keys.n_blocks());
  quantize(keys, blocks);
  for (int64_t r = 0; r < 64; ++r)
    for (int64_t c = 0; c < kPanel; ++c) ASSERT_EQ(code(keys.block(blocks, 0, r), r, c), 0);
}

TEST_P(QuantizeKeys, DoesNotLetWhatIsNotFinitePassForNumbers) {
  for (float bad : {kInfinity, -kInfinity, kNan}) {
    Panels keys(2, 64, 1);
    keys.at(1, 5, 7) = bad;
    test::Guarded<PanelQ16> blocks(keys.n_blocks());
    quantize(keys, blocks);
    for (int64_t p = 0; p < 2; ++p)
      for (int64_t r : {0, 32})
        for (int64_t c = 0; c < kPanel; ++c)
          ASSERT_EQ(std::isfinite(keys.block(blocks, p, r).unit[c]), !(p == 1 && r == 0 && c == 7));
  }
}

class QuantizeValues : public Int16 {
 protected:
  void quantize(const Panels& values, test::Guarded<PanelQ16>& blocks, test::Guarded<float>& units) const {
    kernels().quantize_values({values.values.data(), values.n_panels, kPageKeys, blocks.data(), units.data()});
  }
};

TEST_P(QuantizeValues, KeepsThirteenBitsBelowTheLargestOfARow) {
  for (int64_t n_panels : {1, 3, 4}) {
    Panels values(n_panels, kPageKeys, 2);
    test::Guarded<PanelQ16> blocks(values.n_blocks());
    test::Guarded<float> units(kPageKeys);
    quantize(values, blocks, units);
    for (int64_t r = 0; r < kPageKeys; ++r) {
      const auto unit = static_cast<double>(units[r]);
      int largest = 0;
      for (int64_t p = 0; p < n_panels; ++p)
        for (int64_t c = 0; c < kPanel; ++c) {
          const PanelQ16& block = values.block(blocks, p, r);
          ASSERT_EQ(block.unit[c], 1.0f);
          ASSERT_NEAR(unit * code(block, r, c), static_cast<double>(values.at(p, r, c)), 0.501 * unit) << "row " << r;
          largest = std::max(largest, std::abs(code(block, r, c)));
        }
      ASSERT_EQ(largest, 8191) << "row " << r;
    }
    ASSERT_TRUE(blocks.intact() && units.intact());
  }
}

TEST_P(QuantizeValues, DoesNotLetWhatIsNotFinitePassForNumbers) {
  for (float bad : {kInfinity, -kInfinity, kNan}) {
    Panels values(2, kPageKeys, 1);
    values.at(1, 41, 3) = bad;
    test::Guarded<PanelQ16> blocks(values.n_blocks());
    test::Guarded<float> units(kPageKeys);
    quantize(values, blocks, units);
    for (int64_t r = 0; r < kPageKeys; ++r) ASSERT_EQ(std::isfinite(units[r]), r != 41);
  }
}

class QuantizeWeights : public Int16 {};

TEST_P(QuantizeWeights, MultipliesThemByTheValuesUnits) {
  constexpr int64_t kRows = 3, kStride = act_q16_bytes(kPageKeys);
  const std::vector<float> weights = test::normal(kRows * kPageKeys, 3), units = test::normal(kPageKeys, 4);
  test::Guarded<std::byte> codes(kRows * kStride);
  kernels().quantize_weights({weights.data(), units.data(), codes.data(), kRows});
  for (int64_t row = 0; row < kRows; ++row) {
    const auto* q = reinterpret_cast<const int16_t*>(codes.data() + row * kStride);
    const auto* scales = reinterpret_cast<const float*>(q + kPageKeys);
    EXPECT_EQ(scales[0], scales[1]);
    int largest = 0;
    for (int64_t i = 0; i < kPageKeys; ++i) {
      const auto scale = static_cast<double>(scales[i / kActQ16Block]);
      const double want = static_cast<double>(weights[static_cast<size_t>(row * kPageKeys + i)]) *
                          static_cast<double>(units[static_cast<size_t>(i)]);
      EXPECT_NEAR(scale * q[i], want, 0.501 * scale) << "row " << row << ", " << i;
      largest = std::max(largest, std::abs(static_cast<int>(q[i])));
    }
    EXPECT_EQ(largest, 8191);
  }
  EXPECT_TRUE(codes.intact());
}

class PanelGemmQ16 : public Int16 {
 protected:
  void check(int64_t m, int64_t k, int64_t n_panels, bool add) const {
    SCOPED_TRACE(testing::Message() << m << " x " << k << " by " << n_panels << " panels, " << (add ? "added" : "set"));
    const Panels b(n_panels, k, 2);
    test::Guarded<PanelQ16> blocks(b.n_blocks());
    kernels().quantize_keys({b.values.data(), n_panels, k, blocks.data(), nullptr});
    const std::vector<float> a = test::normal(m * k, 1);
    test::Guarded<std::byte> rows(m * act_q16_bytes(k));
    for (int64_t r = 0; r < m; ++r) kernels().quantize_q16(a.data() + r * k, rows.data() + r * act_q16_bytes(k), k);
    const int64_t columns = n_panels * kPanel, stride = columns + 1;
    test::Guarded<float> c(m * stride);
    for (int64_t r = 0; add && r < m; ++r) std::fill_n(c.data() + r * stride, columns, 0.5f);
    kernels().panel_gemm_q16({rows.data(), blocks.data(), c.data(), stride, m, k, n_panels, add});
    for (int64_t r = 0; r < m; ++r) {
      for (int64_t column = 0; column < columns; ++column)
        ASSERT_NEAR(static_cast<double>(c[r * stride + column]),
                    (add ? 0.5 : 0) + product(rows.data() + r * act_q16_bytes(k), blocks.data(), k, column), 2e-5)
            << "row " << r << ", column " << column;
      ASSERT_TRUE(c.untouched(r * stride + columns)) << "after row " << r;
    }
    ASSERT_TRUE(c.intact());
  }

 private:
  static double product(const std::byte* row, const PanelQ16* blocks, int64_t k, int64_t column) {
    const auto* q = reinterpret_cast<const int16_t*>(row);
    const auto* scales = reinterpret_cast<const float*>(row + act_q16_scales(k));
    double sum = 0;
    for (int64_t i = 0; i < act_q16_blocks(k) * kActQ16Block; ++i) {
      const int64_t b = i / kActQ16Block;
      const PanelQ16& block = blocks[column / kPanel * act_q16_blocks(k) + b];
      sum += static_cast<double>(scales[b]) * q[i] * static_cast<double>(block.unit[column % kPanel]) *
             code(block, i, column % kPanel);
    }
    return sum;
  }
};

TEST_P(PanelGemmQ16, IsAProductForEveryNumberOfRows) {
  for (bool add : {false, true})
    for (int64_t m = 1; m <= 20; ++m) check(m, 33, 2, add);
}

TEST_P(PanelGemmQ16, IsAProductForEveryDepth) {
  for (bool add : {false, true})
    for (int64_t k : {1, 2, 3, 17, 64, 80, 128, 256}) check(7, k, 1, add);
}

TEST_P(PanelGemmQ16, DoesNotOverflowWithTheLargestCodes) {
  constexpr int64_t kDepth = 64;
  Panels b(1, kDepth, 1);
  std::ranges::fill(b.values, -2.0f);
  test::Guarded<PanelQ16> blocks(b.n_blocks());
  kernels().quantize_keys({b.values.data(), 1, kDepth, blocks.data(), nullptr});
  for (float x : {3.0f, -3.0f}) {
    const std::vector<float> a(kDepth, x);
    test::Guarded<std::byte> row(act_q16_bytes(kDepth));
    kernels().quantize_q16(a.data(), row.data(), kDepth);
    std::vector<float> c(kPanel);
    kernels().panel_gemm_q16({row.data(), blocks.data(), c.data(), kPanel, 1, kDepth, 1, false});
    for (float y : c) EXPECT_FLOAT_EQ(y, -2 * x * kDepth);
  }
}

INSTANTIATE_TEST_SUITE_P(All, QuantizeKeys, testing::ValuesIn(tiers()), test::tier_name);
INSTANTIATE_TEST_SUITE_P(All, QuantizeValues, testing::ValuesIn(tiers()), test::tier_name);
INSTANTIATE_TEST_SUITE_P(All, QuantizeWeights, testing::ValuesIn(tiers()), test::tier_name);
INSTANTIATE_TEST_SUITE_P(All, PanelGemmQ16, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
