#include "kv/sequence.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/support/errors.h"

namespace skald {
namespace {

class Sequence : public testing::Test {
 protected:
  static constexpr int64_t kPageKeys = 16;
  PagePool pool_{256, 4};
};

TEST_F(Sequence, ReservesWholePages) {
  KvSequence s(pool_, kPageKeys);
  EXPECT_TRUE(s.reserve(0));
  EXPECT_EQ(pool_.taken(), 0);
  EXPECT_TRUE(s.reserve(1));
  EXPECT_EQ(pool_.taken(), 1);
  EXPECT_TRUE(s.reserve(16));
  EXPECT_EQ(pool_.taken(), 1);
  EXPECT_TRUE(s.reserve(17));
  EXPECT_EQ(pool_.taken(), 2);
  EXPECT_TRUE(s.reserve(3)) << "less than there is";
  EXPECT_EQ(pool_.taken(), 2);
  EXPECT_EQ(s.length(), 0) << "room is not length";
}

TEST_F(Sequence, KeepsItsPagesWhileItGrows) {
  KvSequence s(pool_, kPageKeys);
  ASSERT_TRUE(s.reserve(16));
  std::byte* const first = s.pages()[0];
  ASSERT_TRUE(s.reserve(64));
  EXPECT_EQ(s.pages()[0], first);
  EXPECT_NE(s.pages()[1], first);
}

TEST_F(Sequence, FailingToReserveChangesNothing) {
  KvSequence s(pool_, kPageKeys), other(pool_, kPageKeys);
  ASSERT_TRUE(other.reserve(17));
  ASSERT_TRUE(s.reserve(10));
  s.set_length(10);
  std::byte* const first = s.pages()[0];
  EXPECT_FALSE(s.reserve(16 * 3 + 1)) << "four pages, of which another sequence has two";
  EXPECT_EQ(pool_.taken(), 3);
  EXPECT_EQ(s.length(), 10);
  EXPECT_EQ(s.pages()[0], first);
  EXPECT_TRUE(s.reserve(32)) << "what is left can still be had";
}

TEST_F(Sequence, AnErrorWhileReservingChangesNothing) {
  PagePool huge(int64_t{1} << 60, 4);
  KvSequence s(huge, kPageKeys);
  EXPECT_EQ(test::error_of([&] { s.reserve(20); }).code(), Errc::kNoMemory);
  EXPECT_EQ(huge.taken(), 0);
  EXPECT_EQ(s.length(), 0);
}

TEST_F(Sequence, TruncatingReturnsThePagesBehind) {
  KvSequence s(pool_, kPageKeys);
  ASSERT_TRUE(s.reserve(64));
  s.set_length(60);
  s.truncate(33);
  EXPECT_EQ(s.length(), 33);
  EXPECT_EQ(pool_.taken(), 3);
  s.truncate(32);
  EXPECT_EQ(pool_.taken(), 2);
  s.truncate(40);
  EXPECT_EQ(s.length(), 32) << "truncating never lengthens";
  s.truncate(0);
  EXPECT_EQ(s.length(), 0);
  EXPECT_EQ(pool_.taken(), 0);
}

TEST_F(Sequence, TruncatingToItsLengthDropsRoomThatWasReserved) {
  KvSequence s(pool_, kPageKeys);
  ASSERT_TRUE(s.reserve(5));
  s.set_length(5);
  ASSERT_TRUE(s.reserve(40));
  s.truncate(s.length());
  EXPECT_EQ(pool_.taken(), 1);
  EXPECT_EQ(s.length(), 5);
}

TEST_F(Sequence, ReturnsItsPagesAtItsEnd) {
  {
    KvSequence s(pool_, kPageKeys);
    ASSERT_TRUE(s.reserve(64));
  }
  EXPECT_EQ(pool_.taken(), 0);
}

TEST_F(Sequence, MovesWithItsPages) {
  std::vector<KvSequence> all;
  KvSequence s(pool_, kPageKeys);
  ASSERT_TRUE(s.reserve(20));
  s.set_length(20);
  std::byte* const first = s.pages()[0];
  {
    const KvSequence moved(std::move(s));
    EXPECT_EQ(moved.length(), 20);
    EXPECT_EQ(moved.pages()[0], first);
    EXPECT_EQ(s.length(), 0);  // NOLINT(bugprone-use-after-move): it is empty, not invalid
    EXPECT_EQ(pool_.taken(), 2);
  }
  EXPECT_EQ(pool_.taken(), 0) << "the pages went with the one that had them, once";
  EXPECT_TRUE(s.reserve(64)) << "a moved-from sequence can be used anew";
  EXPECT_EQ(pool_.taken(), 4) << "it had kept none of its old pages";
}

}  // namespace
}  // namespace skald
