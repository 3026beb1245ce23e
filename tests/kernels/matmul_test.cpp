// matmul of every format on every tier against sums in double; rows that do not depend on their neighbours; exact extremes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "quant/made_up.h"
#include "quant/q8_0/block.h"
#include "quant/registry.h"
#include "tests/kernels/activations.h"
#include "tests/kernels/tier_test.h"
#include "tests/support/close_to.h"
#include "tests/support/guarded.h"
#include "tests/support/random.h"

namespace skald {
namespace {

using test::Activations;

constexpr int64_t kMaxRows = 35, kMaxTokens = 17;

/// A problem of the largest size; smaller ones are its upper left corners.
class Problem {
 public:
  Problem(const Format& format, ActFormat act, int64_t k, float weight_spread)
      : format_(format),
        k_(k),
        weights_(encoded(format, k, weight_spread)),
        x_(act, test::normal(kMaxTokens * k, 2), kMaxTokens, k) {}

  MatmulArgs args(float* y, int64_t y_stride, int64_t n, int64_t m) const {
    return {weights_.data(), weight_stride(), x_.bytes.data(), x_.stride, y, y_stride, n, m, k_};
  }

  /// The wanted y (kMaxTokens, kMaxRows), and how far off it may be.
  void reference(std::vector<float>& want, std::vector<double>& limits) const {
    std::vector<float> row(static_cast<size_t>(k_));
    want.resize(kMaxTokens * kMaxRows);
    limits.resize(want.size());
    for (int64_t r = 0; r < kMaxRows; ++r) {
      format_.decode(weights_.data() + r * weight_stride(), row.data(), k_);
      for (int64_t t = 0; t < kMaxTokens; ++t) {
        const std::span x(x_.values.data() + t * k_, static_cast<size_t>(k_));
        const test::Dot dot(row, x);
        const auto at = static_cast<size_t>(t * kMaxRows + r);
        want[at] = static_cast<float>(dot.sum);
        limits[at] = dot.limit(4 * std::sqrt(static_cast<double>(k_)));
      }
    }
  }

 private:
  static constexpr int64_t kGap = 36;  // bytes of garbage after each row of weights

  int64_t weight_stride() const { return format_.bytes(k_) + kGap; }

  static std::vector<std::byte> encoded(const Format& format, int64_t k, float spread) {
    const int64_t row = format.bytes(k);
    const std::vector<std::byte> rows = encoded_or_made_up(format, test::normal(kMaxRows * k, 1, spread), 2 * spread);
    std::vector<std::byte> bytes(static_cast<size_t>(kMaxRows * (row + kGap)), std::byte{0xff});
    for (int64_t r = 0; r < kMaxRows; ++r) std::copy_n(rows.begin() + r * row, row, bytes.begin() + r * (row + kGap));
    return bytes;
  }

  const Format& format_;
  int64_t k_;
  std::vector<std::byte> weights_;
  Activations x_;
};

class Matmul : public test::TierTestWith<std::tuple<const Tier*, const Format*>> {
 protected:
  const Format& format() const { return *std::get<1>(GetParam()); }
  ActFormat act() const { return kernels().act[format().id]; }
  void matmul(const MatmulArgs& args) const {
    const MatmulFn own = kernels().matmul[format().id];
    own ? own(args) : kernels().matmul_decoded(args, format());
  }

  /// The sizes of k that the format and its activations allow.
  std::vector<int64_t> depths() const {
    std::vector<int64_t> out;
    for (int64_t k : {1, 7, 31, 32, 33, 64, 96, 100, 160, 256, 768, 4096})
      if (k % format().block == 0 && (act() != ActFormat::kQ8 || k % kActQ8Block == 0)) out.push_back(k);
    return out;
  }

  void compare_with_double(int64_t k, float spread) const {
    SCOPED_TRACE("k = " + std::to_string(k));
    const Problem problem(format(), act(), k, spread);
    test::Guarded<float> y(kMaxTokens * kMaxRows);
    matmul(problem.args(y.data(), kMaxRows, kMaxRows, kMaxTokens));
    std::vector<float> want;
    std::vector<double> limits;
    problem.reference(want, limits);
    EXPECT_TRUE(test::close_to(y.values(), want, limits));
    EXPECT_TRUE(y.intact());
  }
};

TEST_P(Matmul, AgreesWithSumsInDouble) {
  ASSERT_FALSE(depths().empty());
  for (int64_t k : depths()) compare_with_double(k, 0.5f);
}

// Halves below 2^-14 are denormal: they must not count as zero.
TEST_P(Matmul, KeepsSmallWeights) {
  for (int64_t k : depths())
    if (k <= 256) compare_with_double(k, 4e-6f);
}

TEST_P(Matmul, ARowsResultIsTheSameWhateverItsNeighbours) {
  constexpr int64_t kGap = 3;
  for (int64_t k : depths()) {
    const Problem problem(format(), act(), k, 0.5f);
    std::vector<float> all(kMaxTokens * kMaxRows);
    matmul(problem.args(all.data(), kMaxRows, kMaxRows, kMaxTokens));
    for (int64_t n : {1, 2, 3, 4, 5, 17, 32, 35})
      for (int64_t m : {1, 2, 3, 4, 5, 6, 7, 8, 9, 17}) {
        test::Guarded<float> y(m * (n + kGap) - kGap);
        matmul(problem.args(y.data(), n + kGap, n, m));
        const std::string size = "n = " + std::to_string(n) + ", m = " + std::to_string(m) + ", k = " + std::to_string(k);
        ASSERT_TRUE(y.intact()) << size;
        for (int64_t t = 0; t < m; ++t) {
          const std::span got(y.data() + t * (n + kGap), static_cast<size_t>(n));
          const std::span want(all.data() + t * kMaxRows, static_cast<size_t>(n));
          ASSERT_TRUE(test::same_bits(got, want)) << "token " << t << " of " << size;
          for (int64_t i = n; i < n + kGap && t + 1 < m; ++i) ASSERT_TRUE(y.untouched(t * (n + kGap) + i)) << size;
        }
      }
  }
}

std::string case_name(const testing::TestParamInfo<std::tuple<const Tier*, const Format*>>& info) {
  return std::string(std::get<0>(info.param)->name) + "_" + std::string(std::get<1>(info.param)->name);
}

INSTANTIATE_TEST_SUITE_P(All, Matmul,
                         testing::Combine(testing::ValuesIn(tiers()), testing::ValuesIn(formats().begin(), formats().end())),
                         case_name);

using MatmulInt8 = test::TierTest;

// The largest products of bytes: a sum of pairs in 16 bits must not saturate.
TEST_P(MatmulInt8, ExtremeCodesAreExact) {
  struct Extreme {
    int8_t weight, activation;
  };
  for (const Extreme e : {Extreme{-128, 127}, {-128, -127}, {127, 127}, {127, -127}, {-127, -127}, {0, 127}, {-128, 0}}) {
    constexpr int64_t kDepth = 96;
    std::array<BlockQ8_0, kDepth / 32> w;
    for (BlockQ8_0& b : w) {
      b.d = 0x3c00;  // 1
      std::fill(std::begin(b.q), std::end(b.q), e.weight);
    }
    alignas(64) std::array<std::byte, act_q8_bytes(kDepth)> x{};
    std::memset(x.data(), e.activation, kDepth);
    const float ones[kDepth / 32] = {1, 1, 1};
    std::memcpy(x.data() + kDepth, ones, sizeof ones);
    float y = 0;
    kernels().matmul[BlockQ8_0::kId]({w.data(), sizeof w, x.data(), 0, &y, 1, 1, 1, kDepth});
    EXPECT_EQ(y, static_cast<float>(kDepth * e.weight * e.activation)) << int{e.weight} << " x " << int{e.activation};
  }
}

INSTANTIATE_TEST_SUITE_P(All, MatmulInt8, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
