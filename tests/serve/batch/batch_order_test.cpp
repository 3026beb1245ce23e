#include "serve/batch/batch_order.h"

#include <gtest/gtest.h>

#include <string>

namespace skald::serve::batch_order_test {
namespace {

BatchRequest request(const std::string& prefix) { return {.line = 1, .custom_id = prefix, .prefix = prefix}; }

std::string taken(BatchOrder& order, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += order.take().custom_id + " ";
  return out;
}

TEST(BatchOrder, GivesThoseThatBeginAlikeOneAfterTheOther) {
  BatchOrder order;
  for (const char* prefix : {"b2", "a1", "b1", "a2"}) order.add(request(prefix));
  EXPECT_EQ(taken(order, 4), "a1 a2 b1 b2 ");
  EXPECT_TRUE(order.empty());
}

TEST(BatchOrder, GoesOnFromWhereItIsWhenMoreCome) {
  BatchOrder order;
  for (const char* prefix : {"a1", "b1", "c1"}) order.add(request(prefix));
  EXPECT_EQ(taken(order, 2), "a1 b1 ");
  for (const char* prefix : {"a2", "b2"}) order.add(request(prefix));
  EXPECT_EQ(taken(order, 3), "b2 c1 a2 ");
}

TEST(BatchOrder, CountsBytes) {
  BatchOrder order;
  order.add(request("abc"));
  order.add(request("abc"));
  EXPECT_EQ(order.bytes(), 12);
  order.take();
  EXPECT_EQ(order.bytes(), 6);
  EXPECT_EQ(order.size(), 1);
}

}  // namespace
}  // namespace skald::serve::batch_order_test
