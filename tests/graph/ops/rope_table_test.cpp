// Frequencies of rotary embeddings against formulas written after the papers' and Hugging Face's, in other words than ours.
#include "graph/ops/rope_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace skald {
namespace {

constexpr double kTau = 2 * std::numbers::pi;

std::vector<double> frequencies(const RopeTable& t) {
  std::vector<double> out(static_cast<size_t>(t.dims / 2));
  t.frequencies(out);
  return out;
}

void expect_close(const std::vector<double>& got, const std::vector<double>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], want[i] * 1e-12) << "pair " << i;
}

/// base^(-2i/d), by repeated division.
std::vector<double> plain(double base, int dims) {
  std::vector<double> out;
  const double step = std::exp(std::log(base) * 2 / dims);
  for (double f = 1; static_cast<int>(out.size()) < dims / 2; f /= step) out.push_back(f);
  return out;
}

TEST(RopeTable, PlainFrequenciesFallGeometrically) {
  for (const auto& [base, dims] : {std::pair{10000.0f, 128}, {500000.0f, 64}, {1e6f, 2}, {10000.0f, 20}}) {
    const std::vector<double> f = frequencies({.dims = dims, .theta = base});
    EXPECT_EQ(f[0], 1);
    expect_close(f, plain(static_cast<double>(base), dims));
  }
}

TEST(RopeTable, LinearScalingStretchesAllWaves) {
  std::vector<double> want = plain(10000, 64);
  for (double& f : want) f /= 4;
  expect_close(frequencies({.dims = 64, .scaling = RopeScaling::kLinear, .factor = 4}), want);
}

// transformers' _compute_llama3_parameters, by wavelengths.
TEST(RopeTable, Llama3KeepsShortWavesAndStretchesLongOnes) {
  const RopeTable t{.dims = 128,
                    .theta = 500000,
                    .scaling = RopeScaling::kLlama3,
                    .factor = 8,
                    .original_context = 8192,
                    .low_freq_factor = 1,
                    .high_freq_factor = 4};
  std::vector<double> want = plain(500000, 128);
  int kept = 0, stretched = 0, blended = 0;
  for (double& f : want) {
    const double wave = kTau / f, longest_kept = 8192.0 / 4, shortest_stretched = 8192.0 / 1;
    if (wave < longest_kept) {
      ++kept;
    } else if (wave > shortest_stretched) {
      f /= 8;
      ++stretched;
    } else {
      const double smooth = (8192 / wave - 1) / (4 - 1);
      f = f / 8 + smooth * (f - f / 8);
      ++blended;
    }
  }
  EXPECT_TRUE(kept > 0 && stretched > 0 && blended > 0) << "the case covers all three ranges";
  expect_close(frequencies(t), want);
}

// transformers' _compute_yarn_parameters: the share of the plain frequency falls along a ramp of pairs.
void expect_yarn(float context, float ext) {
  const RopeTable t{.dims = 64,
                    .theta = 10000,
                    .scaling = RopeScaling::kYarn,
                    .factor = 16,
                    .original_context = context,
                    .ext_factor = ext};
  const auto pair_of = [&](double rotations) {
    return 64 * std::log(static_cast<double>(context) / (rotations * kTau)) / (2 * std::log(10000.0));
  };
  const double low = std::floor(pair_of(32)), high = std::ceil(pair_of(1));
  ASSERT_TRUE(0 < low && low < high && high < 31) << "the ramp lies inside";
  std::vector<double> want = plain(10000, 64);
  for (size_t i = 0; i < want.size(); ++i) {
    const double along = (static_cast<double>(i) - low) / (high - low);
    const double keep = (along <= 0 ? 1 : along >= 1 ? 0 : 1 - along) * static_cast<double>(ext);
    want[i] = keep * want[i] + (1 - keep) * want[i] / 16;
  }
  expect_close(frequencies(t), want);
}

TEST(RopeTable, YarnBlendsAlongARampOfPairs) {
  for (float ext : {1.0f, 0.5f, 0.0f})
    for (float context : {2048.0f, 4096.0f, 8192.0f}) {  // the ramp's ends are 8.06 to 20.1, 10.5 to 22.5, 12.9 to 24.9
      SCOPED_TRACE(std::to_string(context) + ", " + std::to_string(ext));
      expect_yarn(context, ext);
    }
}

TEST(RopeTable, YarnsRampStaysWithinTheHead) {
  // With a short context every pair turns less than beta_slow times: all waves are stretched.
  const RopeTable t{.dims = 16, .theta = 10000, .scaling = RopeScaling::kYarn, .factor = 4, .original_context = 4};
  std::vector<double> want = plain(10000, 16);
  for (size_t i = 1; i < want.size(); ++i) want[i] /= 4;
  const std::vector<double> got = frequencies(t);
  for (size_t i = 1; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], want[i] * 1e-12) << i;
  for (double f : got) EXPECT_TRUE(std::isfinite(f));
}

TEST(RopeTable, DescribesItself) {
  EXPECT_EQ(RopeTable{.dims = 64}.describe(), "64 values, base 10000");
  EXPECT_EQ((RopeTable{.dims = 64, .scaling = RopeScaling::kYarn}.describe()), "64 values, base 10000, yarn");
}

}  // namespace
}  // namespace skald
