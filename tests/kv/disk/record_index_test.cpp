#include "kv/disk/record_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skald::record_index_test {
namespace {

RecordName name(const char* of, int part = RecordPart::kPage) { return {root_key({}, of), {part}}; }

TEST(RecordIndex, CountsPagesAndBytes) {
  RecordIndex index;
  index.put(name("a"), 100, 1);
  index.put(name("a", 0), 50, 2);
  index.put(name("b"), 10, 3);
  EXPECT_EQ(index.pages(), 2);
  EXPECT_EQ(index.bytes(), 160);
  EXPECT_THAT(index.names(), testing::UnorderedElementsAre(name("a"), name("a", 0), name("b")));
  EXPECT_EQ(index.bytes(name("a", 0)), 50);
  index.put(name("b"), 20, 4);
  EXPECT_EQ(index.pages(), 2);
  EXPECT_EQ(index.bytes(), 170);
  index.erase(name("a"));
  index.erase(name("a"));
  EXPECT_EQ(index.pages(), 1);
  EXPECT_EQ(index.bytes(), 70);
  EXPECT_FALSE(index.has(name("a")));
  EXPECT_TRUE(index.has(name("a", 0)));
}

TEST(RecordIndex, TheOldestIsTheOneUsedLeastRecently) {
  RecordIndex index;
  EXPECT_FALSE(index.oldest());
  index.put(name("a"), 1, 1);
  index.put(name("b"), 1, 2);
  EXPECT_EQ(index.oldest()->name, name("a"));
  EXPECT_EQ(index.oldest()->used, 1);
  index.use(name("a"), 3);
  EXPECT_EQ(index.oldest()->name, name("b"));
  index.use(name("c"), 4);
  EXPECT_FALSE(index.has(name("c")));
  index.erase(name("b"));
  EXPECT_EQ(index.oldest()->name, name("a"));
}

}  // namespace
}  // namespace skald::record_index_test
