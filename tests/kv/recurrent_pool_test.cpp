#include "kv/recurrent_pool.h"

#include <gtest/gtest.h>

#include "tests/support/faulting_memory.h"

namespace skald {
namespace {

float last(const RecurrentPool& pool, const RecurrentPool::Block& block) {
  std::vector<float> floats(static_cast<size_t>(pool.block_bytes()) / sizeof(float));
  pool.read(*block, std::as_writable_bytes(std::span(floats)));
  return floats.back();
}

TEST(RecurrentPool, GivesZerosOrACopyUpToItsLimit) {
  RecurrentPool pool({{.floats = 16}}, 2);
  RecurrentPool::Block a = pool.take();
  EXPECT_EQ(a->in(0)[15], 0);
  a->in(0)[15] = 7;
  const RecurrentPool::Block b = pool.take(a);
  EXPECT_EQ(b->in(0)[15], 7);
  EXPECT_EQ(pool.available(), 0);
  EXPECT_EQ(pool.take(), nullptr);
  a = nullptr;
  EXPECT_EQ(pool.available(), 1);
  EXPECT_EQ(pool.take()->in(0)[15], 0) << "a block that is taken again is empty";
  EXPECT_EQ(pool.bytes(), 2 * 16 * 4);
}

TEST(RecurrentPool, HasAPieceInEachMemory) {
  test::FaultingMemory first, second;
  RecurrentPool pool({{.floats = 16, .memory = &first}, {}, {.floats = 32, .memory = &second}}, 2);
  const RecurrentPool::Block a = pool.take();
  EXPECT_EQ(a->in(1), nullptr);
  EXPECT_EQ(last(pool, a), 0);
  std::vector<float> floats(48);
  for (size_t i = 0; i < floats.size(); ++i) floats[i] = static_cast<float>(i);
  pool.write(*a, std::as_bytes(std::span(floats)));
  const RecurrentPool::Block b = pool.take(a);
  std::vector<float> copy(48);
  pool.read(*b, std::as_writable_bytes(std::span(copy)));
  EXPECT_EQ(copy, floats);
  EXPECT_EQ(first.held(), 2 * 16 * 4);
  EXPECT_EQ(second.held(), 2 * 32 * 4);
}

}  // namespace
}  // namespace skald
