// The Hadamard transform against its matrix in double: its own inverse, and dot products stay what they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "kernels/api/kv_view.h"
#include "tests/kernels/cache_memory.h"
#include "tests/kernels/tier_test.h"
#include "tests/support/guarded.h"

namespace skald {
namespace {

class Hadamard : public test::TierTest {
 protected:
  std::vector<float> transformed(const std::vector<float>& x, int64_t block) const {
    test::Guarded<float> y(std::ssize(x));
    std::ranges::copy(x, y.data());
    kernels().hadamard(y.data(), std::ssize(x), block);
    EXPECT_TRUE(y.intact());
    return {y.data(), y.data() + x.size()};
  }
};

/// Entry (i, j) of the matrix is -1 to the number of bits that i and j share, over the square root of the block.
test::Expected expected(const std::vector<float>& x, int64_t block) {
  test::Expected out;
  const double scale = 1 / std::sqrt(static_cast<double>(block)), steps = std::log2(static_cast<double>(block));
  for (int64_t i = 0; i < std::ssize(x); ++i) {
    double sum = 0, magnitude = 0;
    for (int64_t j = 0; j < block; ++j) {
      const auto term = static_cast<double>(x[static_cast<size_t>(i / block * block + j)]);
      sum += std::popcount(static_cast<uint64_t>(i % block & j)) % 2 ? -term : term;
      magnitude += std::abs(term);
    }
    out.add(sum * scale, magnitude * scale * 0x1p-24 * (steps + 2));
  }
  return out;
}

TEST_P(Hadamard, IsTheMatrixForEveryBlock) {
  for (int64_t block = 1; block <= 256; block *= 2)
    for (int64_t blocks : {1, 2, 3}) {
      const std::vector<float> x = test::normal(block * blocks, 1);
      EXPECT_TRUE(expected(x, block).matches(transformed(x, block).data())) << blocks << " of " << block;
    }
}

TEST_P(Hadamard, IsItsOwnInverse) {
  for (int64_t n : {1, 32, 33, 80, 96, 128, 256}) {
    const std::vector<float> x = test::normal(n, 2);
    const int64_t block = hadamard_block(n);
    EXPECT_TRUE(test::close_to(transformed(transformed(x, block), block), x, 3e-6)) << n;
  }
}

TEST_P(Hadamard, KeepsDotProducts) {
  for (int64_t n : {32, 96, 128, 256}) {
    const std::vector<float> x = test::normal(n, 3), y = test::normal(n, 4);
    const test::Dot before(x, y), after(transformed(x, hadamard_block(n)), transformed(y, hadamard_block(n)));
    EXPECT_NEAR(after.sum, before.sum, before.limit(20) + after.limit(20)) << n;
  }
}

TEST_P(Hadamard, SpreadsWhatIsLargeInOneDimension) {
  std::vector<float> x(128, 0.0f);
  x[77] = 16;
  for (float y : transformed(x, 128)) EXPECT_NEAR(std::abs(y), 16 / std::sqrt(128.0f), 1e-6f);
}

INSTANTIATE_TEST_SUITE_P(All, Hadamard, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
