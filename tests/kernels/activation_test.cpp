// The activations of every tier against their definitions in double, over their whole range, and the gated units.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "tests/kernels/tier_test.h"
#include "tests/support/close_to.h"
#include "tests/support/guarded.h"
#include "tests/support/random.h"

namespace skald {
namespace {

constexpr double kUlp = 0x1p-24;

struct Definition {
  Activation id;
  double (*of)(double x);
  double (*exponent)(double x);  // of the exponential inside: its rounding is relative to the result
  double (*of_up)(double x) = [](double x) { return x; };
};

double gelu_tanh_argument(double x) { return 2 * std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x); }
double none(double) { return 0; }
double clamped_linear(double x) { return 1 + std::clamp(x, -7.0, 7.0); }
double clamped_silu(double x) { return std::min(x, 7.0) / (1 + std::exp(-1.702 * std::min(x, 7.0))); }

const Definition kDefinitions[] = {
    {Activation::kSilu, [](double x) { return x / (1 + std::exp(-x)); }, none},
    {Activation::kGelu, [](double x) { return x / 2 * std::erfc(-x / std::numbers::sqrt2); }, none},
    {Activation::kGeluTanh, [](double x) { return x / (1 + std::exp(-gelu_tanh_argument(x))); }, gelu_tanh_argument},
    {Activation::kRelu, [](double x) { return std::max(x, 0.0); }, none},
    {Activation::kReluSquared, [](double x) { return x > 0 ? x * x : 0; }, none},
    {Activation::kSigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, [](double x) { return x; }},
    {Activation::kClampedSilu, clamped_silu, [](double x) { return 1.702 * std::min(x, 7.0); }, clamped_linear},
    {Activation::kClampedLinear, clamped_linear, none},
};

double limit(const Definition& d, double x) {
  // Exponentials below the smallest normal float are nothing.
  return std::abs(d.of(x)) * (10 + 3 * std::max(0.0, -d.exponent(x))) * kUlp + std::abs(x) * 0x1p-125;
}

class Activations : public test::TierTest {
 protected:
  void check(const Definition& d, const std::vector<float>& x, const std::vector<float>& up) {
    SCOPED_TRACE("activation " + std::to_string(static_cast<int>(d.id)));
    const auto n = static_cast<int64_t>(x.size());
    std::vector<float> want, want_gated;
    std::vector<double> limits, limits_gated;
    for (size_t i = 0; i < x.size(); ++i) {
      const auto value = static_cast<double>(x[i]), factor = d.of_up(static_cast<double>(up[i]));
      want.push_back(static_cast<float>(d.of(value)));
      limits.push_back(limit(d, value));
      want_gated.push_back(static_cast<float>(d.of(value) * factor));
      limits_gated.push_back(limit(d, value) * std::abs(factor) + std::abs(d.of(value) * factor) * 2 * kUlp + 0x1p-149);
    }
    const ActivationFn f = kernels().activation[static_cast<size_t>(d.id)];
    const GluFn glu = kernels().glu[static_cast<size_t>(d.id)];
    test::Guarded<float> y(n), over(n), gated(n), over_gate(n), over_up(n);
    for (test::Guarded<float>* copy : {&over, &over_gate}) std::copy(x.begin(), x.end(), copy->data());
    std::copy(up.begin(), up.end(), over_up.data());
    f(x.data(), y.data(), n);
    f(over.data(), over.data(), n);
    glu(x.data(), up.data(), gated.data(), n);
    glu(over_gate.data(), up.data(), over_gate.data(), n);
    glu(x.data(), over_up.data(), over_up.data(), n);
    EXPECT_TRUE(test::close_to(y.values(), want, limits));
    EXPECT_TRUE(test::close_to(gated.values(), want_gated, limits_gated));
    EXPECT_TRUE(test::same_bits(over.values(), y.values()));
    EXPECT_TRUE(test::same_bits(over_gate.values(), gated.values()));
    EXPECT_TRUE(test::same_bits(over_up.values(), gated.values()));
    EXPECT_TRUE(y.intact() && over.intact() && gated.intact() && over_gate.intact() && over_up.intact());
  }
};

TEST_P(Activations, AgreeWithTheirDefinitionsAtEveryLength) {
  for (const Definition& d : kDefinitions)
    for (int64_t n : {1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 129, 4096})
      check(d, test::normal(n, 1, 4), test::normal(n, 2));
}

TEST_P(Activations, AgreeOverTheirWholeRange) {
  std::vector<float> x;
  for (float v = -87.0f; v <= 87.0f; v += 0.0117f) x.push_back(v);
  for (float v = 1e-30f; v < 1.0f; v *= 1.7f) x.insert(x.end(), {v, -v});
  for (const Definition& d : kDefinitions) check(d, x, test::normal(static_cast<int64_t>(x.size()), 1));
}

TEST_P(Activations, OfExtremesAreTheirLimits) {
  for (const Definition& d : kDefinitions)
    for (float x : {88.0f, 89.0f, 100.0f, 128.0f, 1000.0f, 1e4f, 1e30f})
      for (int64_t n : {1, 16}) {
        const ActivationFn f = kernels().activation[static_cast<size_t>(d.id)];
        std::vector<float> up(static_cast<size_t>(n), x), down(up.size(), -x), y(up.size());
        f(up.data(), y.data(), n);
        const auto most = static_cast<float>(d.of(static_cast<double>(x)));  // x itself, but for those with a limit
        EXPECT_TRUE(test::close_to(y, std::vector<float>(up.size(), most), most == x ? 0 : 1e-6)) << x;
        if (d.id == Activation::kClampedLinear) continue;
        if (x > 1e4f && d.id != Activation::kRelu && d.id != Activation::kReluSquared && d.id != Activation::kGelu)
          continue;  // beyond, x times the smallest exponential is no longer nothing
        f(down.data(), y.data(), n);
        EXPECT_TRUE(test::close_to(y, std::vector<float>(up.size(), 0.0f), 1e-34)) << -x;
      }
}

TEST_P(Activations, HideNothingThatIsNotFinite) {
  for (const Definition& d : kDefinitions)
    for (const float bad : {std::nanf(""), -std::nanf(""), HUGE_VALF, -HUGE_VALF})
      for (const size_t at : {0UL, 7UL, 16UL}) {
        std::vector<float> x(17, 0.5f), y(x.size()), up(x.size(), 1.0f);
        x[at] = bad;
        const auto n = static_cast<int64_t>(x.size());
        kernels().activation[static_cast<size_t>(d.id)](x.data(), y.data(), n);
        EXPECT_FALSE(std::isfinite(y[at])) << static_cast<int>(d.id);
        kernels().glu[static_cast<size_t>(d.id)](x.data(), up.data(), y.data(), n);
        EXPECT_FALSE(std::isfinite(y[at])) << static_cast<int>(d.id);
        kernels().glu[static_cast<size_t>(d.id)](up.data(), x.data(), y.data(), n);
        EXPECT_FALSE(std::isfinite(y[at])) << static_cast<int>(d.id);
      }
}

TEST_P(Activations, HaveAllBeenTried) { EXPECT_EQ(std::size(kDefinitions), kActivations); }

INSTANTIATE_TEST_SUITE_P(All, Activations, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
