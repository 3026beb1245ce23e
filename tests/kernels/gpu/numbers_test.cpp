// The words of single threads on the host: numbers and their bits, and loads of memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "kernels/gpu/host/machine.h"
#include "kernels/gpu/simt.h"
#include "tests/kernels/gpu/run_kernel.h"
#include "tests/support/close_to.h"
#include "tests/support/random.h"

namespace skald::simt::numbers_test {
namespace {

using host::Machine;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

// --- Numbers ---

// The value of a number of `mantissa` + `exponent` bits below its sign, by the definition of such formats.
double value_of(uint32_t bits, int exponent, int mantissa) {
  const auto e = static_cast<int>(bits >> mantissa & ((1U << exponent) - 1));
  const auto m = static_cast<int>(bits & ((1U << mantissa) - 1));
  const int bias = (1 << (exponent - 1)) - 1;
  const double magnitude =
      e == 0 ? std::ldexp(m, 1 - bias - mantissa) : std::ldexp(m + (1 << mantissa), e - bias - mantissa);
  return bits & 0x8000 ? -magnitude : magnitude;
}

// All finite numbers of 16 bits, and what lies halfway between them and the next.
template <class H, class FromFloat>
void expect_conversions(int exponent, int mantissa, FromFloat from_float) {
  const uint32_t infinity = ((1U << exponent) - 1) << mantissa;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7fff) >= infinity) continue;
    const double value = value_of(bits, exponent, mantissa);
    const float wide = to_float(H{static_cast<uint16_t>(bits)});
    ASSERT_EQ(double{wide}, value) << bits;
    ASSERT_EQ(from_float(wide).bits, bits);
    if ((bits & 0x7fff) + 1 == infinity) continue;
    const auto middle = static_cast<float>((value + value_of(bits + 1, exponent, mantissa)) / 2);
    ASSERT_EQ(from_float(middle).bits, bits + (bits & 1)) << "a tie after " << bits;
    ASSERT_EQ(from_float(std::nextafter(middle, 0.0f)).bits, bits);
    ASSERT_EQ(from_float(std::nextafter(middle, 2 * middle)).bits, bits + 1);
  }
  EXPECT_EQ(to_float(H{static_cast<uint16_t>(infinity)}), kInf);
  EXPECT_EQ(from_float(-kInf).bits, infinity | 0x8000);
  EXPECT_TRUE(std::isnan(to_float(from_float(kNan))));
}

TEST(SimtWords, HalvesAreRoundedToNearestWithTiesToEven) {
  expect_conversions<F16>(5, 10, [](float x) { return to_f16(x); });
  EXPECT_EQ(to_f16(65520).bits, 0x7c00);
}

TEST(SimtWords, Bf16IsRoundedToNearestWithTiesToEven) {
  expect_conversions<Bf16>(8, 7, [](float x) { return to_bf16(x); });
}

TEST(SimtWords, AWordHoldsTwoHalves) {
  EXPECT_EQ(pack_f16(1, -2), 0xc0003c00U);
  EXPECT_EQ(halves(0xc0003c00U).x, 1);
  EXPECT_EQ(halves(0xc0003c00U).y, -2);
  const std::vector<float> x = test::normal(400, 4, 100);
  for (size_t i = 0; i < x.size(); i += 4) {
    const uint32_t a = pack_f16(x[i], x[i + 1]), b = pack_f16(x[i + 2], x[i + 3]);
    ASSERT_EQ(a, to_f16(x[i]).bits + 0x10000U * to_f16(x[i + 1]).bits);
    ASSERT_EQ(halves(a).x, to_float(to_f16(x[i])));
    ASSERT_EQ(halves(a).y, to_float(to_f16(x[i + 1])));
    const Float2 d = halves(sub_halves(a, b));
    ASSERT_EQ(d.x, to_float(to_f16(halves(a).x - halves(b).x)));
    ASSERT_EQ(d.y, to_float(to_f16(halves(a).y - halves(b).y)));
  }
}

TEST(SimtWords, BytesAreMultipliedAsSignedNumbers) {
  EXPECT_EQ(dot4(0x80808080U, 0x80808080U, 1), 4 * 128 * 128 + 1);
  EXPECT_EQ(dot4(0x80808080U, 0x7f7f7f7fU, -1), -4 * 128 * 127 - 1);
  const std::vector<uint32_t> words = test::random_words(200, 5);
  for (size_t i = 0; i < words.size(); i += 2) {
    std::array<int8_t, 4> a, b;
    std::memcpy(a.data(), &words[i], 4);
    std::memcpy(b.data(), &words[i + 1], 4);
    int want = 1000;
    for (size_t j = 0; j < 4; ++j) want += a[j] * b[j];
    ASSERT_EQ(dot4(words[i], words[i + 1], 1000), want) << i;
  }
}

TEST(SimtWords, PermuteChoosesBytesOfTwoWords) {
  EXPECT_EQ(permute(0x33221100U, 0x77665544U, 0x3210U), 0x33221100U);
  EXPECT_EQ(permute(0x33221100U, 0x77665544U, 0x0473U), 0x00447733U);
  const std::vector<uint32_t> words = test::random_words(300, 6);
  for (size_t i = 0; i < words.size(); i += 3) {
    std::array<uint8_t, 8> of;
    std::memcpy(of.data(), &words[i], 8);
    const uint32_t selector = words[i + 2] & 0x7777, got = permute(words[i], words[i + 1], selector);
    for (size_t j = 0; j < 4; ++j) ASSERT_EQ(got >> 8 * j & 255, of[selector >> 4 * j & 7]) << i << ", " << j;
  }
}

TEST(SimtWords, CountBitsCountsEachBit) {
  EXPECT_EQ(count_bits(0), 0);
  EXPECT_EQ(count_bits(~0U), 32);
  for (const uint32_t word : test::random_words(50, 7)) {
    int want = 0;
    for (int i = 0; i < 32; ++i) want += static_cast<int>(word >> i & 1);
    ASSERT_EQ(count_bits(word), want);
  }
}

TEST(SimtWords, RoundIntTakesTiesToEven) {
  const float x[] = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 0.49999997f, 126.5f, -126.50001f, 8388607.5f, -7};
  const int want[] = {0, 2, 2, 0, -2, -2, 0, 126, -127, 8388608, -7};
  for (size_t i = 0; i < std::size(x); ++i) EXPECT_EQ(round_int(x[i]), want[i]) << x[i];
}

TEST(SimtWords, Fma1RoundsOnce) {
  const float x = 1 + 0x1p-12f;
  EXPECT_EQ(fma1(x, x, -(1 + 0x1p-11f)), 0x1p-24f);
  const double y = 1 + 0x1p-27;
  EXPECT_EQ(fma1(y, y, -(1 + 0x1p-26)), 0x1p-54);
}

TEST(SimtWords, TheLargestOfTwoIsANumberWhereThereIsOne) {
  EXPECT_EQ(largest(1, 2), 2);
  EXPECT_EQ(largest(-1, -2), -1);
  EXPECT_EQ(largest(kNan, -kInf), -kInf);
  EXPECT_EQ(largest(-kInf, kNan), -kInf);
  EXPECT_TRUE(std::isnan(largest(kNan, kNan)));
}

TEST(SimtWords, FunctionsAreThoseOfTheirNames) {
  EXPECT_EQ(as_bits(-2.0f), 0xc0000000U);
  EXPECT_TRUE(std::signbit(as_float(0x80000000U)));
  EXPECT_EQ(magnitude(-3), 3);
  EXPECT_EQ(power_of_2(-3), 0.125f);
  EXPECT_EQ(inv_sqrt(0.25f), 2);
  const std::vector<float> got = {power_of_2(0.5f), inv_sqrt(3), hyperbolic_tangent(0.5f), error_function(0.5f)};
  EXPECT_TRUE(test::close_to(got, std::array{1.41421356f, 0.57735027f, 0.46211716f, 0.52049988f}, 1e-6));
}

// --- Loads ---

struct LoadArgs {
  const Words4 *weights, *values;  // (threads)
  uint32_t* out;                   // (threads, 19)
};

SIMT_KERNEL void load_all_ways(LoadArgs a) {
  const Words4* w = a.weights + thread();
  const Words4* v = a.values + thread();
  const Words4 stream16 = load_stream(w), again16 = load_once16(v), value16 = load16(v);
  const Words2 stream8 = load_stream8(&w->w[2]), value8 = load8(&v->w[2]), once8 = load_once8(&v->w[0]);
  uint32_t* out = a.out + thread() * 19;
  for (int i = 0; i < 4; ++i) {
    *out++ = stream16.w[i];
    *out++ = value16.w[i];
    *out++ = again16.w[i];
  }
  for (int i = 0; i < 2; ++i) {
    *out++ = stream8.w[i];
    *out++ = value8.w[i];
    *out++ = once8.w[i];
  }
  *out = load_stream4(&w->w[3]);
}

TEST(SimtWords, LoadsGiveTheBytesOfTheirAddresses) {
  const std::vector<uint32_t> w = test::random_words(4 * kWarp, 8), v = test::random_words(4 * kWarp, 9);
  std::vector<Words4> weights(kWarp), values(kWarp);
  std::memcpy(weights.data(), w.data(), w.size() * 4);
  std::memcpy(values.data(), v.data(), v.size() * 4);
  std::vector<uint32_t> got(19 * kWarp), want;
  Machine machine;
  machine.add_weights(std::as_bytes(std::span(weights)));
  launch<load_all_ways>(machine.stream(), {{}, kWarp}, LoadArgs{weights.data(), values.data(), got.data()});
  machine.run();
  for (size_t at = 0; at < w.size(); at += 4) {
    for (size_t i = at; i < at + 4; ++i) want.insert(want.end(), {w[i], v[i], v[i]});
    for (size_t i = at; i < at + 2; ++i) want.insert(want.end(), {w[i + 2], v[i + 2], v[i]});
    want.push_back(w[at + 3]);
  }
  EXPECT_EQ(got, want);
}

}  // namespace
}  // namespace skald::simt::numbers_test
