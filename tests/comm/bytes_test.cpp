// Messages of bytes: what is taken off is what was put in.
#include "comm/bytes.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

TEST(Bytes, GiveBackWhatWasPutIn) {
  ByteWriter writer;
  writer.put(int64_t{-3});
  writer.put_text("rank");
  writer.put_all(std::span<const float>(std::array{1.5F, 2.5F}));
  writer.put(true);
  ByteReader reader(writer.bytes());
  EXPECT_EQ(reader.take<int64_t>(), -3);
  EXPECT_EQ(reader.take_text(), "rank");
  EXPECT_EQ(reader.take_all<float>(), (std::vector{1.5F, 2.5F}));
  EXPECT_FALSE(reader.done());
  EXPECT_TRUE(reader.take<bool>());
  EXPECT_TRUE(reader.done());
}

TEST(Bytes, AnEmptyListIsOne) {
  ByteWriter writer;
  writer.put_all(std::span<const int>());
  ByteReader reader(writer.bytes());
  EXPECT_TRUE(reader.take_all<int>().empty());
  EXPECT_TRUE(reader.done());
}

}  // namespace
}  // namespace skald
