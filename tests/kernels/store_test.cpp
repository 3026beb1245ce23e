// Conversions of float rows: bit for bit those of quant/, and the same quantised activations on every tier.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "base/checked.h"
#include "base/thread_pool.h"
#include "kernels/api/act_q16.h"
#include "kernels/api/act_q8.h"
#include "quant/bf16/block.h"
#include "quant/f16/block.h"
#include "quant/registry.h"
#include "tests/kernels/tier_test.h"
#include "tests/support/close_to.h"
#include "tests/support/guarded.h"
#include "tests/support/random.h"

namespace skald::store_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

/// Numbers at which a conversion can go wrong: each exponent, halfway cases and their neighbours, zeros, infinities.
std::vector<float> hard_numbers() {
  std::vector<float> out = {
      0.0f, -0.0f, kInf, -kInf, 65504.0f, 65519.996f, 65520.0f, 1e38f, std::numeric_limits<float>::max()};
  for (uint32_t exponent = 0; exponent < 255; ++exponent)
    for (uint32_t mantissa : {0x0u, 0x1u, 0xfffu, 0x1000u, 0x1001u, 0x3000u, 0x7fffu, 0x8000u, 0x8001u, 0x18000u, 0x7fe000u,
                              0x7fefffu, 0x7ff000u, 0x7f8000u, 0x7fffffu})
      for (uint32_t sign : {0u, 1u}) out.push_back(std::bit_cast<float>(sign << 31 | exponent << 23 | mantissa));
  for (uint32_t half = 0; half < 0x7c00; half += 7) {  // around the middle of two halves, denormal ones too
    const float low = f16_to_f32(static_cast<uint16_t>(half)), high = f16_to_f32(static_cast<uint16_t>(half + 1));
    const float middle = high == kInf ? 65520.0f : (low + high) / 2;
    for (float x : {std::nextafter(middle, 0.0f), middle, std::nextafter(middle, kInf)}) out.insert(out.end(), {x, -x});
  }
  return out;
}

const int64_t kLengths[] = {1, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 80, 100};

using Store = test::TierTest;

TEST_P(Store, F16IsThatOfTheFormat) {
  const std::vector<float> x = hard_numbers();
  test::Guarded<uint16_t> y(static_cast<int64_t>(x.size()));
  kernels().store[BlockF16::kId](x.data(), y.data(), static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y.data()[i], f32_to_f16(x[i])) << std::hexfloat << x[i];
  EXPECT_TRUE(y.intact());
}

TEST_P(Store, Bf16IsThatOfTheFormat) {
  const std::vector<float> x = hard_numbers();
  test::Guarded<uint16_t> y(static_cast<int64_t>(x.size()));
  kernels().store[BlockBf16::kId](x.data(), y.data(), static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y.data()[i], f32_to_bf16(x[i])) << std::hexfloat << x[i];
  EXPECT_TRUE(y.intact());
}

TEST_P(Store, Bf16ActivationsAreThoseOfTheFormat) {
  std::vector<float> x = hard_numbers();
  x.resize(x.size() / 32 * 32);
  test::Guarded<uint16_t> y(static_cast<int64_t>(x.size()));
  kernels().to_bf16(x.data(), y.data(), static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y.data()[i], f32_to_bf16(x[i])) << std::hexfloat << x[i];
  EXPECT_TRUE(y.intact());
}

TEST_P(Store, F32IsACopy) {
  const std::vector<float> x = hard_numbers();
  test::Guarded<float> y(static_cast<int64_t>(x.size()));
  kernels().store[0](x.data(), y.data(), static_cast<int64_t>(x.size()));
  EXPECT_TRUE(test::same_bits(y.values(), x));
  EXPECT_TRUE(y.intact());
}

TEST_P(Store, I8IsRoundedToEvenAndStaysWithin127) {
  std::vector<float> x = {0.0f,   -0.0f,   0.5f,   1.5f,    2.5f, -0.5f, -1.5f, 126.5f, 127.49f,
                          127.5f, -127.5f, 128.0f, -128.0f, 1e9f, -1e9f, kInf,  -kInf};
  const std::vector<int> want = {0, 0, 0, 2, 2, 0, -2, 126, 127, 127, -127, 127, -127, 127, -127, 127, -127};
  ASSERT_EQ(x.size(), want.size());
  for (int64_t n = 1; n <= std::ssize(x); ++n) {
    test::Guarded<int8_t> y(n);
    kernels().store[format_i8.id](x.data(), y.data(), n);
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(y[i], want[static_cast<size_t>(i)]) << x[static_cast<size_t>(i)];
    ASSERT_TRUE(y.intact()) << n;
  }
}

TEST_P(Store, TailsStayInside) {
  for (int64_t n : kLengths) {
    const std::vector<float> x = test::normal(n, 3);
    test::Guarded<uint16_t> half(n), brain(n), bf16(round_up(n, 32));
    test::Guarded<float> copy(n);
    kernels().store[BlockBf16::kId](x.data(), brain.data(), n);
    kernels().store[BlockF16::kId](x.data(), half.data(), n);
    kernels().to_bf16(x.data(), bf16.data(), n);
    kernels().store[0](x.data(), copy.data(), n);
    EXPECT_TRUE(half.intact() && brain.intact() && bf16.intact() && copy.intact()) << n;
    for (int64_t i = 0; i < n; ++i) {
      const float v = x[static_cast<size_t>(i)];
      ASSERT_EQ(half[i], f32_to_f16(v)) << i << " of " << n;
      ASSERT_EQ(brain[i], f32_to_bf16(v)) << i << " of " << n;
      ASSERT_EQ(bf16[i], f32_to_bf16(v)) << i << " of " << n;
    }
    for (int64_t i = n; i < round_up(n, 32); ++i) ASSERT_EQ(bf16[i], 0) << "padding " << i << " of " << n;
    EXPECT_TRUE(test::same_bits(copy.values(), x)) << n;
  }
}

/// A row of blocks of very different sizes, with ties of rounding and numbers that no byte can hold.
std::vector<float> activation_row() {
  std::vector<float> x;
  uint64_t seed = 10;
  for (float spread : {1.0f, 1e-3f, 1e6f, 1e30f, 1e-30f, 1e-37f, 1e-38f, 1e-39f, 1e-44f, 0.0f}) {
    const std::vector<float> block = test::normal(kActQ8Block, ++seed, spread);
    x.insert(x.end(), block.begin(), block.end());
  }
  for (int i = 0; i < kActQ8Block; ++i) x.push_back(i == 0 ? 127.0f : static_cast<float>(i) - 16.5f);  // scale 1: ties
  for (float strange : {kInf, -kInf, std::nanf("")}) {
    std::vector<float> block = test::normal(kActQ8Block, ++seed);
    block[5] = strange;
    x.insert(x.end(), block.begin(), block.end());
  }
  return x;
}

class QuantizeQ8 : public test::TierTest {
 protected:
  static std::vector<std::byte> quantised(const KernelTable& kernels, const std::vector<float>& x) {
    const auto k = static_cast<int64_t>(x.size());
    test::Guarded<std::byte> y(act_q8_bytes(k));
    kernels.quantize_q8(x.data(), y.data(), k);
    EXPECT_TRUE(y.intact());
    return {y.data(), y.data() + ActQ8Row(k).end};
  }
  void same_as_scalar(const std::vector<float>& x) const {
    const std::vector<std::byte> got = quantised(kernels(), x), want = quantised(test::scalar_kernels(), x);
    const auto at = std::ranges::mismatch(got, want).in1 - got.begin();
    EXPECT_EQ(got, want) << "byte " << at << ", block " << at / kActQ8Block << " of " << x.size() / kActQ8Block;
  }
};

TEST_P(QuantizeQ8, IsTheSameOnEveryTier) {
  const std::vector<float> x = activation_row();
  same_as_scalar(x);
  const ScopedFlushDenormals flush;  // as the engine runs
  same_as_scalar(x);
}

TEST_P(QuantizeQ8, HasTheSumsOfBlocksAndTheirHalves) {
  constexpr int64_t kDepth = 96;
  const std::vector<std::byte> y = quantised(kernels(), test::normal(kDepth, 3));
  const auto number = [&]<class T>(int64_t array, int64_t i, T) {
    T x;
    std::memcpy(&x, y.data() + array + i * 4, 4);
    return x;
  };
  constexpr ActQ8Row kRow(kDepth);
  for (int64_t b = 0; b < kDepth / kActQ8Block; ++b) {
    int32_t sums[2] = {}, negatives = 0;
    for (int64_t i = 0; i < kActQ8Block; ++i) {
      const auto code = static_cast<int8_t>(y[static_cast<size_t>(b * kActQ8Block + i)]);
      sums[i / 16] += code;
      negatives += code < 0 ? -code : 0;
    }
    EXPECT_EQ(number(kRow.starts, b, int32_t{}), -128 * (sums[0] + sums[1]));
    EXPECT_EQ(number(kRow.halves, 2 * b, int32_t{}), -128 * sums[0]);
    EXPECT_EQ(number(kRow.halves, 2 * b + 1, int32_t{}), -128 * sums[1]);
    EXPECT_EQ(number(kRow.negatives, b, int32_t{}), negatives);
    EXPECT_EQ(number(kRow.totals, b, 0.0f), number(kRow.scales, b, 0.0f) * static_cast<float>(sums[0] + sums[1]));
  }
}

TEST_P(QuantizeQ8, IsWithinHalfAStep) {
  for (int64_t k : {32, 64, 96, 4096}) {
    const std::vector<float> x = test::normal(k, static_cast<uint64_t>(k));
    const std::vector<std::byte> y = quantised(kernels(), x);
    for (int64_t i = 0; i < k; ++i) {
      float scale;
      std::memcpy(&scale, y.data() + k + i / kActQ8Block * 4, 4);
      const auto code = static_cast<int8_t>(y[static_cast<size_t>(i)]);
      ASSERT_NEAR(scale * static_cast<float>(code), x[static_cast<size_t>(i)], scale * 0.50001f) << i;
      ASSERT_GE(code, -127);
    }
  }
}

TEST_P(QuantizeQ8, RoundsHalvesToEven) {
  std::vector<float> x(kActQ8Block, 0.0f);
  x[0] = 127.0f;
  const float halves[] = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 126.5f};
  const int codes[] = {0, 2, 2, 0, -2, -2, 126};
  std::copy(std::begin(halves), std::end(halves), x.begin() + 1);
  const std::vector<std::byte> y = quantised(kernels(), x);
  for (size_t i = 0; i < std::size(codes); ++i) EXPECT_EQ(static_cast<int8_t>(y[i + 1]), codes[i]) << halves[i];
}

TEST_P(QuantizeQ8, BlocksTooSmallForAScaleAreZero) {
  for (float tiny : {0.0f, 1e-40f, 1e-36f}) {
    const std::vector<float> x(kActQ8Block, tiny);
    const std::vector<std::byte> y = quantised(kernels(), x);
    float scale;
    std::memcpy(&scale, y.data() + kActQ8Block, 4);
    for (int i = 0; i < kActQ8Block; ++i) {
      const auto code = static_cast<int8_t>(y[static_cast<size_t>(i)]);
      ASSERT_NEAR(scale * static_cast<float>(code), tiny, 2e-36f) << tiny;
      if (tiny < 1e-38f) {
        ASSERT_EQ(code, 0) << tiny;
      }
    }
  }
}

// Numbers that are not finite, of which the last two would become finite if the bits that bf16 lacks were carried.
const float kNotFinite[] = {
    kInf, -kInf, std::nanf(""), -std::nanf(""), std::bit_cast<float>(0x7fffffffu), std::bit_cast<float>(0xffffffffu)};

TEST_P(Store, RoundingHidesNoNumberThatIsNotFinite) {
  constexpr int64_t kDepth = 96;
  const auto is_hidden = [](const std::vector<float>& decoded, int64_t at) {
    return std::all_of(decoded.begin() + at / 32 * 32, decoded.begin() + at / 32 * 32 + 32,
                       [](float v) { return std::isfinite(v); });
  };
  for (const float bad : kNotFinite)
    for (int64_t at = 0; at < kDepth; at += 5) {
      std::vector<float> x = test::normal(kDepth, 4), back(x.size());
      x[static_cast<size_t>(at)] = bad;
      for (const char* name : {"f16", "bf16", "q8_0", "q4_0"}) {
        const Format& format = *find_format(name);
        std::vector<std::byte> y(static_cast<size_t>(format.bytes(kDepth)));
        kernels().store[format.id](x.data(), y.data(), kDepth);
        format.decode(y.data(), back.data(), kDepth);
        EXPECT_FALSE(is_hidden(back, at)) << name << ' ' << bad << " at " << at;
      }
      const auto scale_is_finite = [&](const std::vector<std::byte>& row, int64_t scales) {
        float scale = 0;
        std::memcpy(&scale, row.data() + scales + at / 32 * 4, sizeof scale);
        return std::isfinite(scale);
      };
      std::vector<std::byte> q8(static_cast<size_t>(act_q8_bytes(kDepth))), q16(static_cast<size_t>(act_q16_bytes(kDepth)));
      kernels().quantize_q8(x.data(), q8.data(), kDepth);
      EXPECT_FALSE(scale_is_finite(q8, ActQ8Row(kDepth).scales)) << bad << " at " << at;
      if (!kernels().quantize_q16) continue;
      kernels().quantize_q16(x.data(), q16.data(), kDepth);
      EXPECT_FALSE(scale_is_finite(q16, act_q16_scales(kDepth))) << bad << " at " << at;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Store, testing::ValuesIn(tiers()), test::tier_name);
INSTANTIATE_TEST_SUITE_P(All, QuantizeQ8, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald::store_test
