// Formats of numbers for embedders.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "skald/ops.h"
#include "tests/support/errors.h"
#include "tests/support/random.h"

namespace skald {
namespace {

TEST(NumberFormats, ComeBackAboutAsTheyWere) {
  const std::vector<float> x = test::normal(512, 1);
  for (const NumberFormat& f : number_formats()) {
    if (!f.can_encode) continue;
    std::vector<std::byte> blocks(static_cast<size_t>(512 / f.block * f.block_bytes));
    std::vector<float> back(512);
    quantize(f.name, x.data(), 512, blocks.data());
    dequantize(f.name, blocks.data(), 512, back.data());
    double squares = 0;
    for (size_t i = 0; i < x.size(); ++i) squares += std::pow(x[i] - back[i], 2);
    EXPECT_LT(std::sqrt(squares / 512), 0.75) << f.name;
  }
}

TEST(NumberFormats, RefuseByName) {
  const std::vector<float> x(32);
  std::vector<std::byte> out(64);
  EXPECT_EQ(test::error_of([&] { quantize("q9_9", x.data(), 32, out.data()); }).code(), Errc::kBadInput);
  EXPECT_EQ(test::error_of([&] { quantize("q8_0", x.data(), 31, out.data()); }).code(), Errc::kBadInput);
  EXPECT_EQ(test::error_of([&] { dequantize("i32", out.data(), 1, nullptr); }).code(), Errc::kBadInput);
  const std::vector<float> infinite(32, INFINITY);
  EXPECT_EQ(test::error_of([&] { quantize("q8_0", infinite.data(), 32, out.data()); }).code(), Errc::kBadInput);
}

}  // namespace
}  // namespace skald
