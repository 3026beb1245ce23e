// States of tokens become one vector, from any steps.
#include "embedding/pool.h"

#include <gtest/gtest.h>

#include <array>

namespace skald {
namespace {

using Floats = std::vector<float>;

/// Four tokens of two numbers.
std::array<float, 8> kStates = {1, 2, 3, 4, 5, 6, 7, 10};

Logits rows(int64_t first, int64_t n) {
  TensorView view{.data = reinterpret_cast<std::byte*>(kStates.data() + 2 * first), .desc = {&format_f32, Shape{n, 2}}};
  return Logits(view, host_memory());
}

Floats pooled(Pooling pooling, int64_t step) {
  Pool pool(pooling, 2);
  for (int64_t done = 0; done < 4; done += step) {
    const int64_t n = pool.outputs(step, done + step == 4);
    pool.add(rows(done + step - n, n), 0, n);
  }
  return pool.take();
}

TEST(Pool, TakesTheMeanTheFirstTheLastOrAll) {
  for (const int64_t step : {1, 2, 4}) {
    EXPECT_EQ(pooled(Pooling::kMean, step), (Floats{4, 5.5}));
    EXPECT_EQ(pooled(Pooling::kCls, step), (Floats{1, 2}));
    EXPECT_EQ(pooled(Pooling::kLast, step), (Floats{7, 10}));
    EXPECT_EQ(pooled(Pooling::kNone, step), Floats(kStates.begin(), kStates.end()));
  }
}

TEST(Pool, AsksForNoMoreStatesThanItNeeds) {
  EXPECT_EQ(Pool(Pooling::kLast, 2).outputs(3, false), 0);
  EXPECT_EQ(Pool(Pooling::kLast, 2).outputs(3, true), 1);
  EXPECT_EQ(Pool(Pooling::kMean, 2).outputs(3, true), 3);
}

TEST(Pool, NormalisesToLengthOne) {
  Floats x = {3, -4}, zero = {0, 0};
  normalise(x);
  normalise(zero);
  EXPECT_EQ(x, (Floats{0.6f, -0.8f}));
  EXPECT_EQ(zero, (Floats{0, 0}));
}

}  // namespace
}  // namespace skald
