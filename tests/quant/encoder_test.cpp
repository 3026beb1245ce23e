// Promises of every encoder: small errors, smaller ones where it is important, and values that are hard.
#include "quant/encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "quant/made_up.h"
#include "quant/registry.h"
#include "tests/support/random.h"

namespace skald {
namespace {

constexpr int64_t kRow = 256 * 16;

std::vector<const Format*> targets() {
  std::vector<const Format*> out;
  for (const Format* f : formats())
    if (has_encoder(*f)) out.push_back(f);
  return out;
}

std::vector<std::byte> encoded(const Format& format, const std::vector<float>& x, const float* importance = nullptr) {
  std::vector<std::byte> out(static_cast<size_t>(format.bytes(std::ssize(x))));
  encode_weights(format, x.data(), importance, out.data(), std::ssize(x));
  return out;
}

std::vector<float> decoded(const Format& format, const std::vector<std::byte>& blocks, size_t n) {
  std::vector<float> out(n);
  format.decode(blocks.data(), out.data(), std::ssize(out));
  return out;
}

std::vector<float> round_trip(const Format& format, const std::vector<float>& x, const float* importance = nullptr) {
  return decoded(format, encoded(format, x, importance), x.size());
}

// The root of the weighted mean square of the loss, by that of x.
double loss(const std::vector<float>& x, const std::vector<float>& y, const std::vector<float>& w) {
  double lost = 0, all = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    lost += static_cast<double>(w[i]) * (x[i] - y[i]) * (x[i] - y[i]);
    all += static_cast<double>(w[i]) * x[i] * x[i];
  }
  return std::sqrt(lost / all);
}

// Student's t with three degrees of freedom: tails so heavy that the fourth moment does not exist.
std::vector<float> heavy_tailed(int64_t n, float spread) {
  const std::vector<float> a = test::normal(n, 1), b = test::normal(3 * n, 2);
  std::vector<float> out;
  for (size_t i = 0; i < a.size(); ++i) {
    const float chi = b[3 * i] * b[3 * i] + b[3 * i + 1] * b[3 * i + 1] + b[3 * i + 2] * b[3 * i + 2];
    out.push_back(spread * a[i] / std::sqrt(chi / 3));
  }
  return out;
}

// Importance as models have it: a few columns count a hundred times as much as most.
std::vector<float> uneven(int64_t n) {
  std::vector<float> out = test::normal(n, 7);
  for (float& v : out) v = std::exp(v);
  return out;
}

// A little above what the encoders reach, and at or below what llama.cpp reaches (docs/quantization.md).
const std::map<std::string_view, double> kNormalLoss = {
    {"f32", 0},         {"f16", 0.0003},   {"bf16", 0.002},  {"q8_0", 0.0062}, {"q8_k", 0.0083}, {"q6_k", 0.0172},
    {"q5_k", 0.0350},   {"q5_1", 0.0330},  {"q5_0", 0.0404}, {"q4_k", 0.0702}, {"q4_1", 0.0685}, {"q4_0", 0.0866},
    {"iq4_nl", 0.0755}, {"iq4_xs", 0.077}, {"mxfp4", 0.113}, {"q3_k", 0.1508}, {"q2_k", 0.2650}, {"tq2_0", 0.44},
    {"tq1_0", 0.44},    {"q2_0", 0.4},     {"q1_0", 0.605}};

TEST(Encoder, LosesLittleOfNormalWeights) {
  const std::vector<float> x = test::normal(kRow, 3, 0.02f), same(x.size(), 1.0f);
  for (const Format* f : targets()) {
    ASSERT_TRUE(kNormalLoss.contains(f->name)) << f->name;
    EXPECT_LE(loss(x, round_trip(*f, x), same), kNormalLoss.at(f->name)) << f->name;
  }
}

TEST(Encoder, LosesLittleOfWeightsWithHeavyTails) {
  const std::vector<float> x = heavy_tailed(kRow, 0.02f), same(x.size(), 1.0f);
  for (const Format* f : targets())
    EXPECT_LE(loss(x, round_trip(*f, x), same), (f->name == "q8_k" ? 2.5 : 1.6) * kNormalLoss.at(f->name)) << f->name;
}

TEST(Encoder, LosesLessWhereItIsImportant) {
  const std::vector<float> x = heavy_tailed(kRow, 0.02f), w = uneven(kRow);
  for (const Format* f : targets()) {
    const double plain = loss(x, round_trip(*f, x), w), weighted = loss(x, round_trip(*f, x, w.data()), w);
    const bool searches = f->block > 1 && f->name != "q8_0" && f->name != "q8_k";
    if (searches)
      EXPECT_LT(weighted, plain) << f->name;
    else
      EXPECT_EQ(weighted, plain) << f->name;
  }
}

TEST(Encoder, ToldThatAllCountTheSameDoesAsWithoutImportance) {
  const std::vector<float> x = test::normal(kRow, 3, 0.02f), same(x.size(), 1.0f);
  for (const Format* f : targets()) {
    if (f->name == "q4_0") continue;  // is not searched for then
    EXPECT_EQ(encoded(*f, x, same.data()), encoded(*f, x)) << f->name;
  }
}

// The share of blocks of 32 values that are the same.
double same_blocks(const std::vector<float>& x, const std::vector<float>& y, float tolerance) {
  int same = 0;
  for (size_t i = 0; i < x.size(); i += 32) {
    bool all = true;
    for (size_t j = i; j < i + 32; ++j) all &= std::abs(x[j] - y[j]) <= tolerance;
    same += all ? 1 : 0;
  }
  return 32.0 * same / static_cast<double>(x.size());
}

// Nearly all blocks of arbitrary codes: searches begin at the extreme codes, which some of these have not.
TEST(Encoder, FindsValuesThatTheFormatHolds) {
  for (const std::string_view name : {"q4_1", "q5_0", "q5_1", "iq4_nl", "mxfp4", "tq1_0", "tq2_0", "q1_0", "q2_0"}) {
    const Format& f = *find_format(name);
    const std::vector<float> x = decoded(f, made_up_weights(f, kRow, 0.25f), kRow);
    EXPECT_GT(same_blocks(x, round_trip(f, x), 1e-4f), 0.8) << name;  // offsets are rounded to f16
  }
}

TEST(Encoder, HardlyChangesWhatItMade) {
  for (const Format* f : targets()) {
    const std::vector<float> once = round_trip(*f, test::normal(kRow, 4)), twice = round_trip(*f, once);
    EXPECT_LE(loss(once, twice, std::vector<float>(once.size(), 1.0f)), 0.25 * kNormalLoss.at(f->name)) << f->name;
  }
}

// iq4_* have no zero, but something small; q1_0 has nothing beside plus and minus a scale.
TEST(Encoder, KeepsZerosAndSingleValues) {
  for (const Format* f : targets()) {
    std::vector<float> x(512, 0.0f);
    EXPECT_EQ(round_trip(*f, x), x) << f->name;
    if (f->name == "q1_0") continue;
    for (const float only : {0.5f, -0.5f}) {
      x[300] = only;
      const std::vector<float> y = round_trip(*f, x);
      EXPECT_NEAR(y[300], only, 0.01) << f->name;
      EXPECT_EQ(std::ranges::count_if(y, [](float v) { return std::abs(v) > 0.02f; }), 1) << f->name;
    }
  }
}

TEST(Encoder, KeepsConstantBlocks) {
  for (const Format* f : targets())
    for (const float value : {0.75f, -0.75f}) {
      const std::vector<float> x(512, value);
      for (const float v : round_trip(*f, x)) ASSERT_NEAR(v, value, 0.06f) << f->name;
    }
}

// Sizes at which sums, inverses and f16 scales overflow or become denormal: results stay finite and no larger than 1.5 times
// the largest value.
TEST(Encoder, StaysFiniteForHugeAndTinyWeights) {
  std::vector<float> w = uneven(512);
  std::ranges::transform(w, w.begin(), [](float v) { return std::clamp(v * 1e4f, 1e-6f, 1e6f); });
  for (const Format* f : targets())
    for (const float spread :
         {kLargestWeight / 8, 1e-4f, 1e-7f, 1e-9f, 1e-20f, 1e-38f, 1e-42f, std::numeric_limits<float>::denorm_min()}) {
      std::vector<float> x = test::normal(512, 5, spread);
      for (float& v : x) v = std::clamp(v, -kLargestWeight, kLargestWeight);
      if (spread > 1) x[7] = kLargestWeight, x[256] = -kLargestWeight;
      const float largest = std::abs(*std::ranges::max_element(x, {}, [](float v) { return std::abs(v); }));
      for (const float* importance : {static_cast<const float*>(nullptr), static_cast<const float*>(w.data())})
        for (const float v : round_trip(*f, x, importance))
          ASSERT_LE(std::abs(v), std::max(1.5f * largest, 1e-6f)) << f->name << " of " << spread;
    }
}

TEST(Encoder, WritesOnlyItsBlocks) {
  for (const Format* f : targets()) {
    const std::vector<float> x = test::normal(512, 6);
    const auto bytes = static_cast<size_t>(f->bytes(512));
    std::vector<std::byte> out(bytes + 16, std::byte{0x5a});
    encode_weights(*f, x.data(), nullptr, out.data(), 512);
    EXPECT_TRUE(std::all_of(out.begin() + static_cast<int64_t>(bytes), out.end(), [](std::byte b) {
      return b == std::byte{0x5a};
    })) << f->name;
  }
}

// nvfp4 wants a scale of the whole tensor, which an encoder of blocks cannot give.
TEST(Encoder, IsThereForAllButTheSmallestFormatsAndNvfp4) {
  for (const Format* f : formats())
    EXPECT_EQ(has_encoder(*f), !f->name.starts_with("iq1") && !f->name.starts_with("iq2") && !f->name.starts_with("iq3") &&
                                   f->name != "nvfp4")
        << f->name;
}

// Ternary blocks stay so, with the scale that other encoders give them.
TEST(Encoder, GivesTernaryBlocksOfQ2_0PositiveScales) {
  std::vector<float> x;
  for (int i = 0; i < 512; ++i) x.push_back(static_cast<float>(i * 7 % 3 - 1) * (i < 256 ? 0.25f : 0.5f));
  const std::vector<std::byte> blocks = encoded(*find_format("q2_0"), x);
  for (size_t at = 0; at < blocks.size(); at += 18)
    EXPECT_EQ(std::to_integer<int>(blocks[at + 1]), at < blocks.size() / 2 ? 0x34 : 0x38) << at;
  EXPECT_EQ(decoded(*find_format("q2_0"), blocks, x.size()), x);
}

}  // namespace
}  // namespace skald
