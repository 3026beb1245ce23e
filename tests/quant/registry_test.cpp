// Finding formats, and the promises of every codec.
#include "quant/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <vector>

#include "quant/made_up.h"

namespace skald {
namespace {

TEST(FormatRegistry, EveryFormatIsFoundByItsIdAndItsName) {
  ASSERT_FALSE(formats().empty());
  for (const Format* f : formats()) {
    EXPECT_EQ(find_format(f->id), f) << f->name;
    EXPECT_EQ(find_format(f->name), f) << f->name;
  }
}

TEST(FormatRegistry, NamesTheFormatsOfTheEngine) {
  EXPECT_EQ(find_format(0), &format_f32);
  EXPECT_EQ(find_format("f16"), &format_f16);
  EXPECT_EQ(find_format(26), &format_i32);
  EXPECT_EQ(find_format("i32"), &format_i32);
}

TEST(FormatRegistry, UnknownNumbersAndNamesAreNull) {
  EXPECT_EQ(find_format(4), nullptr);
  EXPECT_EQ(find_format(0xffffffffu), nullptr);
  EXPECT_EQ(find_format(""), nullptr);
  EXPECT_EQ(find_format("q9_9"), nullptr);
}

TEST(FormatRegistry, IntegersHaveNoCodec) {
  EXPECT_EQ(format_i32.decode, nullptr);
  EXPECT_EQ(format_i32.encode, nullptr);
  EXPECT_EQ(format_i32.bytes(10), 40);
}

// Promises of any codec, without knowing its bits: it writes only its own blocks, and decoding is stable once encoded.
TEST(FormatRegistry, EveryCodecKeepsToItsBlocksAndRepeatsItself) {
  for (const Format* f : formats()) {
    if (!f->decode || !f->encode) continue;
    SCOPED_TRACE(f->name);
    const int64_t n = 3 * std::max<int64_t>(f->block, 32);
    std::vector<float> x(static_cast<size_t>(n)), y(static_cast<size_t>(n) + 1, 7.0f);
    for (int64_t i = 0; i < n; ++i) x[static_cast<size_t>(i)] = std::sin(static_cast<float>(i));
    std::vector<unsigned char> a(static_cast<size_t>(f->bytes(n)) + 1, 0x5a), b = a;
    f->encode(x.data(), a.data(), n);
    f->encode(x.data(), b.data(), n);
    EXPECT_EQ(a, b);
    EXPECT_EQ(a.back(), 0x5a) << "encode wrote past its blocks";
    f->decode(a.data(), y.data(), n);
    EXPECT_EQ(y.back(), 7.0f) << "decode wrote past its elements";
    double error = 0, power = 0;
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
      error += (x[i] - y[i]) * (x[i] - y[i]);
      power += x[i] * x[i];
    }
    EXPECT_LT(error, 0.1 * power);
  }
}

// For synthetic models and tests of formats that cannot be encoded: numbers of about the asked size, the same for the same
// seed.
TEST(MadeUpWeights, OfEveryFormatHaveTheAskedSpread) {
  for (const Format* f : formats()) {
    ASSERT_TRUE(can_make_up(*f)) << f->name;
    constexpr int64_t kElements = 256 * 64;
    const std::vector<std::byte> blocks = made_up_weights(*f, kElements, 0.25f);
    EXPECT_EQ(blocks, made_up_weights(*f, kElements, 0.25f)) << f->name;
    EXPECT_NE(blocks, made_up_weights(*f, kElements, 0.25f, 2)) << f->name;
    std::vector<float> x(kElements);
    f->decode(blocks.data(), x.data(), kElements);
    double sum = 0, squares = 0, largest = 0;
    for (float v : x) {
      sum += v;
      squares += static_cast<double>(v) * v;
      largest = std::max(largest, static_cast<double>(std::abs(v)));
    }
    EXPECT_LT(std::abs(sum), 0.08 * kElements * 0.25) << f->name;
    EXPECT_GT(std::sqrt(squares / kElements), 0.15 * 0.25) << f->name;
    EXPECT_LT(largest, 2.1 * 0.25) << f->name;
  }
}

}  // namespace
}  // namespace skald
