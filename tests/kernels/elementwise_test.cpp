// The row operations of every tier against formulas in double: sums, norms, rotations.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "tests/kernels/tier_test.h"
#include "tests/support/close_to.h"
#include "tests/support/guarded.h"
#include "tests/support/random.h"

namespace skald::elementwise_test {
namespace {

constexpr double kUlp = 0x1p-24;
const int64_t kLengths[] = {1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 129, 4096};

using Elementwise = test::TierTest;
using Binary = void (*)(const float* a, const float* b, float* y, int64_t n) noexcept;

/// y = f(a, b) within `ulps` of each result, out of place and over either input.
void check_binary(Binary kernel, const std::function<double(double, double)>& f, double ulps) {
  for (int64_t n : kLengths) {
    const std::vector<float> a = test::normal(n, 1, 3), b = test::normal(n, 2, 3);
    std::vector<float> want(a.size());
    std::vector<double> limits(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      const double exact = f(static_cast<double>(a[i]), static_cast<double>(b[i]));
      want[i] = static_cast<float>(exact);
      limits[i] = std::abs(exact) * ulps * kUlp;
    }
    test::Guarded<float> y(n), over_a(n), over_b(n);
    std::copy(a.begin(), a.end(), over_a.data());
    std::copy(b.begin(), b.end(), over_b.data());
    kernel(a.data(), b.data(), y.data(), n);
    kernel(over_a.data(), b.data(), over_a.data(), n);
    kernel(a.data(), over_b.data(), over_b.data(), n);
    EXPECT_TRUE(test::close_to(y.values(), want, limits)) << n;
    EXPECT_TRUE(test::same_bits(over_a.values(), y.values())) << n;
    EXPECT_TRUE(test::same_bits(over_b.values(), y.values())) << n;
    EXPECT_TRUE(y.intact() && over_a.intact() && over_b.intact()) << n;
  }
}

TEST_P(Elementwise, AddIsExactlyRounded) { check_binary(kernels().add, std::plus<>(), 1); }
TEST_P(Elementwise, MulIsExactlyRounded) { check_binary(kernels().mul, std::multiplies<>(), 1); }

// factor * x for scale, y + factor * x for add_scaled; `kept`: of the y before.
void check_multiples(void (*kernel)(float factor, const float* x, float* y, int64_t n) noexcept, double kept) {
  for (int64_t n = 0; n <= 70; ++n)
    for (const float factor : {1.0f, -0.3f, 0.0f}) {
      const std::vector<float> x = test::normal(n, 5), before = test::normal(n, 6);
      test::Guarded<float> y(n);
      std::ranges::copy(before, y.data());
      kernel(factor, x.data(), y.data(), n);
      std::vector<float> want(x.size());
      std::vector<double> limits(x.size());
      for (size_t i = 0; i < x.size(); ++i) {
        const double term = static_cast<double>(factor) * static_cast<double>(x[i]);
        const double exact = kept * static_cast<double>(before[i]) + term;
        want[i] = static_cast<float>(exact);
        limits[i] = (std::abs(exact) + 2 * std::abs(term)) * kUlp;
      }
      ASSERT_TRUE(test::close_to(y.values(), want, limits)) << n << " values times " << factor;
      ASSERT_TRUE(y.intact()) << n;
    }
}

TEST_P(Elementwise, ScaleMultipliesAnyNumberOfValues) { check_multiples(kernels().scale, 0); }
TEST_P(Elementwise, AddScaledAddsAMultipleOfAnyNumberOfValues) { check_multiples(kernels().add_scaled, 1); }

TEST_P(Elementwise, RmsNormAgreesWithItsFormula) {
  for (int64_t n : kLengths)
    for (float spread : {1.0f, 1e-4f, 1e10f}) {
      constexpr float kEps = 1e-5f;
      const std::vector<float> x = test::normal(n, 1, spread), w = test::normal(n, 2);
      const test::Dot squares(x, x);
      const double scale = 1 / std::sqrt(squares.sum / static_cast<double>(n) + static_cast<double>(kEps));
      std::vector<float> want(x.size());
      std::vector<double> limits(x.size());
      for (size_t i = 0; i < x.size(); ++i) {
        want[i] = static_cast<float>(static_cast<double>(x[i]) * scale * static_cast<double>(w[i]));
        limits[i] = std::abs(static_cast<double>(want[i])) * kUlp * (6 + std::sqrt(static_cast<double>(n)));
      }
      test::Guarded<float> y(n);
      kernels().rms_norm(x.data(), w.data(), y.data(), n, kEps);
      EXPECT_TRUE(test::close_to(y.values(), want, limits)) << n << " of " << spread;
      EXPECT_TRUE(y.intact()) << n;
    }
}

TEST_P(Elementwise, RmsNormOfZerosIsZero) {
  const std::vector<float> x(20, 0.0f), w(20, 3.0f);
  std::vector<float> y(20, 1.0f);
  kernels().rms_norm(x.data(), w.data(), y.data(), 20, 1e-6f);
  EXPECT_TRUE(test::close_to(y, x, 0));
}

TEST_P(Elementwise, LayerNormAgreesWithItsFormula) {
  for (int64_t n : kLengths)
    for (float offset : {0.0f, 100.0f})
      for (bool has_bias : {false, true}) {
        constexpr float kEps = 1e-5f;
        std::vector<float> x = test::normal(n, 1, 3);
        for (float& v : x) v += offset;
        const std::vector<float> w = test::normal(n, 2), b = test::normal(n, 3);
        double sum = 0, squares = 0;
        for (float v : x) sum += static_cast<double>(v);
        const double mean = sum / static_cast<double>(n);
        for (float v : x) squares += std::pow(static_cast<double>(v) - mean, 2);
        const double scale = 1 / std::sqrt(squares / static_cast<double>(n) + static_cast<double>(kEps));
        std::vector<float> want;
        std::vector<double> limits;
        for (size_t i = 0; i < x.size(); ++i) {
          const double normed = (static_cast<double>(x[i]) - mean) * scale * static_cast<double>(w[i]);
          const double bias = has_bias ? static_cast<double>(b[i]) : 0;
          want.push_back(static_cast<float>(normed + bias));
          // The mean is rounded, relative to the values that it is taken from.
          const double of_mean = (std::abs(mean) + 3) * scale * std::abs(static_cast<double>(w[i])) * 8;
          limits.push_back(kUlp * (std::abs(normed) * (8 + std::sqrt(static_cast<double>(n))) + of_mean + std::abs(bias)));
        }
        test::Guarded<float> y(n), over(n);
        std::copy(x.begin(), x.end(), over.data());
        kernels().layer_norm(x.data(), w.data(), has_bias ? b.data() : nullptr, y.data(), n, kEps);
        kernels().layer_norm(over.data(), w.data(), has_bias ? b.data() : nullptr, over.data(), n, kEps);
        EXPECT_TRUE(test::close_to(y.values(), want, limits)) << n << " around " << offset;
        EXPECT_TRUE(test::same_bits(over.values(), y.values())) << n;
        EXPECT_TRUE(y.intact() && over.intact()) << n;
      }
}

TEST_P(Elementwise, LayerNormOfEqualValuesIsItsBias) {
  const std::vector<float> x(20, 0.5f), w(20, 3.0f), b = test::normal(20, 1);
  std::vector<float> y(20);
  kernels().layer_norm(x.data(), w.data(), b.data(), y.data(), 20, 1e-6f);
  EXPECT_TRUE(test::same_bits(y, b));
}

TEST_P(Elementwise, SoftcapIsATangentOfItsCap) {
  for (int64_t n : kLengths)
    for (float cap : {0.5f, 5.0f, 30.0f}) {
      const std::vector<float> x = test::normal(n, 1, 20);
      std::vector<float> want;
      for (float v : x)
        want.push_back(static_cast<float>(std::tanh(static_cast<double>(v / cap)) * static_cast<double>(cap)));
      test::Guarded<float> y(n), over(n);
      std::copy(x.begin(), x.end(), over.data());
      kernels().softcap(x.data(), cap, y.data(), n);
      kernels().softcap(over.data(), cap, over.data(), n);
      EXPECT_TRUE(test::close_to(y.values(), want, static_cast<double>(cap) * 6 * kUlp)) << n << " to " << cap;
      EXPECT_TRUE(test::same_bits(over.values(), y.values())) << n;
      EXPECT_TRUE(y.intact() && over.intact()) << n;
    }
  std::vector<float> extreme = {1e30f, -1e30f, 0.0f};
  kernels().softcap(extreme.data(), 30, extreme.data(), 3);
  EXPECT_TRUE(test::same_bits(extreme, std::vector<float>{30, -30, 0}));
}

struct RopeCase {
  int64_t d_head, dims;
  bool halves;
};

void check_rope(const KernelTable& kernels, const RopeCase& c) {
  const int64_t pairs = c.dims / 2;
  const std::vector<float> x = test::normal(c.d_head, 1), angles = test::normal(pairs, 2, 2);
  std::vector<float> cosines, sines, want = x;
  for (float angle : angles) {
    cosines.push_back(std::cos(angle));
    sines.push_back(std::sin(angle));
  }
  for (int64_t i = 0; i < pairs; ++i) {
    const auto first = static_cast<size_t>(c.halves ? i : 2 * i),
               second = static_cast<size_t>(c.halves ? i + pairs : 2 * i + 1);
    const auto cosine = static_cast<double>(cosines[static_cast<size_t>(i)]),
               sine = static_cast<double>(sines[static_cast<size_t>(i)]);
    const auto a = static_cast<double>(x[first]), b = static_cast<double>(x[second]);
    want[first] = static_cast<float>(a * cosine - b * sine);
    want[second] = static_cast<float>(a * sine + b * cosine);
  }
  std::vector<double> limits(x.size(), 0.0);                                           // of others: they pass through
  for (int64_t i = 0; i < c.dims; ++i) limits[static_cast<size_t>(i)] = 8 * 3 * kUlp;  // |values| below 4
  test::Guarded<float> y(c.d_head), over(c.d_head);
  std::copy(x.begin(), x.end(), over.data());
  kernels.rope(x.data(), cosines.data(), sines.data(), y.data(), c.d_head, c.dims, c.halves);
  kernels.rope(over.data(), cosines.data(), sines.data(), over.data(), c.d_head, c.dims, c.halves);
  EXPECT_TRUE(test::close_to(y.values(), want, limits));
  EXPECT_TRUE(test::same_bits(over.values(), y.values())) << "in place";
  EXPECT_TRUE(y.intact() && over.intact());
}

TEST_P(Elementwise, RopeRotatesBothKindsOfPairs) {
  for (bool halves : {false, true})
    for (int64_t d_head : {2, 6, 10, 32, 64, 80, 96, 112, 128})
      for (int64_t dims : {d_head, d_head / 4 * 2, int64_t{2}}) {
        if (dims == 0) continue;
        SCOPED_TRACE(std::to_string(dims) + " of " + std::to_string(d_head) + (halves ? ", halves" : ", interleaved"));
        check_rope(kernels(), {d_head, dims, halves});
      }
}

INSTANTIATE_TEST_SUITE_P(All, Elementwise, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald::elementwise_test
