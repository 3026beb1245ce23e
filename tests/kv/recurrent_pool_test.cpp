#include "kv/recurrent_pool.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

TEST(RecurrentPool, GivesZerosOrACopyUpToItsLimit) {
  RecurrentPool pool(16, 2);
  RecurrentPool::Block a = pool.take();
  EXPECT_EQ(a.get()[15], 0);
  a.get()[15] = 7;
  const RecurrentPool::Block b = pool.take(a);
  EXPECT_EQ(b.get()[15], 7);
  EXPECT_EQ(pool.available(), 0);
  EXPECT_EQ(pool.take(), nullptr);
  a = nullptr;
  EXPECT_EQ(pool.available(), 1);
  EXPECT_EQ(pool.take().get()[15], 0) << "a block that is taken again is empty";
  EXPECT_EQ(pool.bytes(), 2 * 16 * 4);
}

}  // namespace
}  // namespace skald
