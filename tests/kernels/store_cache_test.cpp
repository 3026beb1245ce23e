// Keys and values on their way into the cache: blocks with the same bytes on every tier, and keys by dimensions.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/thread_pool.h"
#include "tests/kernels/cache_memory.h"
#include "tests/kernels/tier_test.h"
#include "tests/support/guarded.h"

namespace skald {
namespace {

/// Blocks of very different sizes, with ties of rounding, and with numbers that no block can hold.
std::vector<float> hard_blocks() {
  constexpr int64_t kBlock = 32;
  constexpr float kInf = std::numeric_limits<float>::infinity();
  std::vector<float> x;
  uint64_t seed = 20;
  const auto add = [&](std::vector<float> block) { x.insert(x.end(), block.begin(), block.end()); };
  for (float spread : {1.0f, 1e-3f, 1e5f, 1e30f, 1e-6f, 1e-7f, 1e-30f, 1e-38f, 1e-44f, 0.0f})
    for (int i = 0; i < 4; ++i) add(test::normal(kBlock, ++seed, spread));
  for (float sign : {1.0f, -1.0f}) {
    std::vector<float> ties(kBlock), one_sided = test::normal(kBlock, ++seed), opposite = test::normal(kBlock, ++seed);
    for (size_t i = 0; i < ties.size(); ++i) ties[i] = sign * (i == 9 ? 127.0f : static_cast<float>(i) - 16.5f);
    for (float& v : one_sided) v = std::copysign(v, sign);
    opposite[3] = 5 * sign;
    opposite[20] = -5 * sign;
    add(ties);
    add(one_sided);
    add(opposite);
    add(std::vector<float>(kBlock, sign * 0.0f));
  }
  for (float strange : {kInf, -kInf, std::nanf("")})
    for (size_t at : {0u, 5u, 31u}) {
      std::vector<float> block = test::normal(kBlock, ++seed);
      block[at] = strange;
      add(block);
    }
  return x;
}

class StoreBlocks : public test::TierTest {
 protected:
  static std::vector<std::byte> stored(const KernelTable& kernels, const Format& f, const std::vector<float>& x) {
    test::Guarded<std::byte> y(f.bytes(std::ssize(x)));
    kernels.store[f.id](x.data(), y.data(), std::ssize(x));
    EXPECT_TRUE(y.intact());
    return {y.data(), y.data() + y.values().size()};
  }
  void same_as_scalar(const Format& f, const std::vector<float>& x) const {
    const std::vector<std::byte> got = stored(kernels(), f, x), want = stored(test::scalar_kernels(), f, x);
    const auto at = std::ranges::mismatch(got, want).in1 - got.begin();
    EXPECT_TRUE(got == want) << f.name << ": byte " << at % f.block_bytes << " of block " << at / f.block_bytes;
  }
  static std::vector<float> decoded(const Format& f, const std::vector<std::byte>& bytes) {
    std::vector<float> out(bytes.size() / static_cast<size_t>(f.block_bytes) * static_cast<size_t>(f.block));
    f.decode(bytes.data(), out.data(), std::ssize(out));
    return out;
  }
};

TEST_P(StoreBlocks, GivesTheSameBytesOnEveryTier) {
  for (const Format* f : test::block_formats()) {
    same_as_scalar(*f, hard_blocks());
    const ScopedFlushDenormals flush;  // as the engine runs
    same_as_scalar(*f, hard_blocks());
  }
}

// A step is the largest magnitude over 127, or over 8; the scale's rounding to a half moves the outermost by `outer` steps.
TEST_P(StoreBlocks, IsWithinHalfAStepOrAsFarAsTheCodesReach) {
  for (const Format* f : test::block_formats())
    for (float spread : {1e-2f, 1.0f, 1e3f}) {
      const std::vector<float> x = test::normal(32 * 100, 3, spread), y = decoded(*f, stored(kernels(), *f, x));
      const bool bytes = f->name == "q8_0";
      const double codes = bytes ? 127 : 8, outer = codes * 0x1p-11;
      for (int64_t b = 0; b < 100; ++b) {
        const std::span<const float> block = test::row_of(x, b, 32);
        const auto [low, high] = std::ranges::minmax_element(block);
        const double step = static_cast<double>(std::max(-*low, *high)) / codes;
        // The nibbles of q4_0 reach from -8 to 7: the end opposite to the largest magnitude is cut off at 7 steps.
        ASSERT_TRUE(test::close_to(test::row_of(y, b, 32), block, step * ((bytes ? 0.501 : 1.001) + outer)))
            << f->name << ", block " << b;
      }
    }
}

TEST_P(StoreBlocks, AgreesWithTheFormatsOwnEncoder) {
  for (const Format* f : test::block_formats()) {
    const std::vector<float> x = test::normal(32 * 100, 4);
    std::vector<std::byte> want(static_cast<size_t>(f->bytes(std::ssize(x))));
    f->encode(x.data(), want.data(), std::ssize(x));
    // Ties may be rounded the other way: random numbers have none.
    EXPECT_TRUE(test::same_bits(decoded(*f, stored(kernels(), *f, x)), decoded(*f, want))) << f->name;
  }
}

TEST_P(StoreBlocks, OfWhatTheFormatHoldsChangesNothing) {
  for (const Format* f : test::block_formats()) {
    const std::vector<float> once = decoded(*f, stored(kernels(), *f, test::normal(32 * 50, 5)));
    EXPECT_TRUE(test::close_to(decoded(*f, stored(kernels(), *f, once)), once, 2e-3)) << f->name;
  }
}

class StoreDims : public test::TierTest {
 protected:
  /// Keys (n, d) from key `start` of the page on: those bytes change, and no others.
  void check(const Format& f, int64_t start, int64_t n, int64_t d) const {
    const int64_t stride = f.bytes(kPageKeys) + test::KeyPage::kGap, x_stride = d + 3;
    std::vector<float> x = test::normal((n - 1) * x_stride + d, 1);
    for (int64_t i = 0; i + 1 < n; ++i) std::fill_n(x.begin() + i * x_stride + d, 3, std::nanf(""));
    test::Guarded<std::byte> page(d * stride), want(d * stride);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < d; ++j)
        f.encode(&x[static_cast<size_t>(i * x_stride + j)], want.data() + j * stride + f.bytes(start + i), 1);
    kernels().store_dims[f.id]({x.data(), x_stride, page.data() + f.bytes(start), stride, n, d});
    ASSERT_TRUE(std::ranges::equal(page.values(), want.values()))
        << f.name << ", " << n << " keys of " << d << " from " << start << " on";
    ASSERT_TRUE(page.intact());
  }
};

TEST_P(StoreDims, PutsKeysAnywhereInThePage) {
  for (const Format* f : test::plain_formats())
    for (int64_t start = 0; start < kPageKeys; ++start)
      for (int64_t n : {1, 2, 7, 16, 17, 40}) check(*f, start, std::min(n, kPageKeys - start), 17);
}

TEST_P(StoreDims, PutsAnyNumberOfKeysOfAnySize) {
  for (const Format* f : test::plain_formats()) {
    for (int64_t n = 1; n <= 40; ++n) check(*f, 5, n, 33);
    for (int64_t d : test::head_sizes(*f))
      for (int64_t n : {1, 11}) check(*f, 50, n, d);
  }
}

INSTANTIATE_TEST_SUITE_P(All, StoreBlocks, testing::ValuesIn(tiers()), test::tier_name);
INSTANTIATE_TEST_SUITE_P(All, StoreDims, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
