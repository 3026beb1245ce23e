#include "kv/sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "tests/support/errors.h"

namespace skald::sequence_test {
namespace {

using testing::ElementsAre;

const AttentionState kAll = {.n_kv_heads = 1, .d_k = 2, .d_v = 2},
                     kWindow = {.n_kv_heads = 1, .d_k = 2, .d_v = 2, .window = 100};

/// Pages of the group of a layer that are in use.
std::vector<std::byte*> pages_of(const KvSequence& s, int64_t n, int64_t layer = 0) {
  const KvView view = s.view(layer);
  return {view.pages, view.pages + n};
}

class Sequence : public testing::Test {
 protected:
  int64_t taken() { return cache_.pool(0).taken(); }
  // Room for 100 keys and the two pages that borders may cost: four pages.
  KvCache cache_{make_kv_spec({kAll}, {}, 100), {.max_keys = 100}};
};

TEST_F(Sequence, ReservesWholePages) {
  KvSequence s(cache_);
  EXPECT_TRUE(s.reserve(0));
  EXPECT_EQ(taken(), 0);
  EXPECT_TRUE(s.reserve(1));
  EXPECT_EQ(taken(), 1);
  EXPECT_TRUE(s.reserve(64));
  EXPECT_EQ(taken(), 1);
  EXPECT_TRUE(s.reserve(65));
  EXPECT_EQ(taken(), 2);
  EXPECT_TRUE(s.reserve(3)) << "less than there is";
  EXPECT_EQ(taken(), 2);
  EXPECT_EQ(s.length(), 0) << "room is not length";
}

TEST_F(Sequence, SaysWhichKeysAllOfItsRowsSee) {
  KvSequence s(cache_);
  EXPECT_EQ(s.view(0).prefix, 0);
  s.set_prefix(7);
  EXPECT_EQ(s.view(0).prefix, 7);
  ASSERT_TRUE(s.reserve(20));
  s.set_length(20);
  EXPECT_TRUE(s.truncate(7));
  s.clear();
  EXPECT_EQ(s.prefix(), 7) << "a step that failed is repeated";
  const KvSequence moved(std::move(s));
  EXPECT_EQ(moved.prefix(), 7);
}

TEST_F(Sequence, KeepsItsPagesWhileItGrows) {
  KvSequence s(cache_);
  ASSERT_TRUE(s.reserve(64));
  std::byte* const first = s.view(0).pages[0];
  ASSERT_TRUE(s.reserve(4 * 64));
  EXPECT_EQ(s.view(0).pages[0], first);
  EXPECT_NE(s.view(0).pages[1], first);
}

TEST_F(Sequence, FailingToReserveChangesNothing) {
  KvSequence s(cache_), other(cache_);
  ASSERT_TRUE(other.reserve(65));
  ASSERT_TRUE(s.reserve(10));
  s.set_length(10);
  const std::vector<std::byte*> before = pages_of(s, 1);
  EXPECT_FALSE(s.reserve(64 * 2 + 1)) << "four pages, of which another sequence has two";
  EXPECT_EQ(taken(), 3);
  EXPECT_EQ(s.length(), 10);
  EXPECT_EQ(pages_of(s, 1), before);
  EXPECT_TRUE(s.reserve(128)) << "what is left can still be had";
}

TEST(SequenceOfGroups, FailingToReserveInOneGroupChangesNone) {
  KvCache cache(make_kv_spec({kWindow, kAll}, {}, 300), {.max_keys = 300, .max_rows = 500});
  KvSequence s(cache), other(cache);
  ASSERT_TRUE(s.reserve(70));
  s.set_length(70);
  ASSERT_TRUE(other.reserve(64 * 5));
  const std::vector<int64_t> before = {cache.pool(0).taken(), cache.pool(1).taken()};
  EXPECT_FALSE(s.reserve(200)) << "the group of all keys has seven pages, and seven are taken";
  EXPECT_THAT(before, ElementsAre(cache.pool(0).taken(), cache.pool(1).taken()));
  EXPECT_EQ(s.length(), 70);
}

TEST_F(Sequence, AnErrorWhileReservingChangesNothing) {
  KvCache huge(make_kv_spec({AttentionState{.n_kv_heads = 1, .d_k = int64_t{1} << 52, .d_v = 1}}, {}, 100),
               {.max_keys = 100});
  KvSequence s(huge);
  EXPECT_EQ(test::error_of([&] { static_cast<void>(s.reserve(20)); }).code(), Errc::kNoMemory);
  EXPECT_EQ(huge.pool(0).taken(), 0);
  EXPECT_EQ(s.length(), 0);
}

TEST(SequenceOfGroups, AnErrorInOneGroupGivesBackWhatTheOthersGave) {
  AttentionState huge = kWindow;
  huge.d_k = int64_t{1} << 52;
  KvCache cache(make_kv_spec({kAll, huge}, {}, 300), {.max_keys = 300});
  KvSequence s(cache);
  EXPECT_EQ(test::error_of([&] { static_cast<void>(s.reserve(20)); }).code(), Errc::kNoMemory);
  EXPECT_EQ(cache.pool(0).taken(), 0);
  EXPECT_EQ(s.pages(0), 0);
}

TEST_F(Sequence, TruncatingReturnsThePagesAfter) {
  KvSequence s(cache_);
  ASSERT_TRUE(s.reserve(256));
  s.set_length(250);
  EXPECT_TRUE(s.truncate(129));
  EXPECT_EQ(s.length(), 129);
  EXPECT_EQ(taken(), 3);
  EXPECT_TRUE(s.truncate(128));
  EXPECT_EQ(taken(), 2);
  EXPECT_TRUE(s.truncate(140));
  EXPECT_EQ(s.length(), 128) << "truncating never lengthens";
  s.clear();
  EXPECT_EQ(s.length(), 0);
  EXPECT_EQ(taken(), 0);
}

TEST_F(Sequence, TruncatingToItsLengthDropsRoomThatWasReserved) {
  KvSequence s(cache_);
  ASSERT_TRUE(s.reserve(5));
  s.set_length(5);
  ASSERT_TRUE(s.reserve(200));
  EXPECT_TRUE(s.truncate(s.length()));
  EXPECT_EQ(taken(), 1);
  EXPECT_EQ(s.length(), 5);
}

TEST_F(Sequence, AForkHasNoRoomThatWasReserved) {
  KvSequence s(cache_);
  ASSERT_TRUE(s.reserve(10));
  s.set_length(10);
  ASSERT_TRUE(s.reserve(200));
  EXPECT_EQ(s.pages(0), 4);
  EXPECT_EQ(s.fork().pages(0), 1);
}

TEST_F(Sequence, ReturnsItsPagesAtItsEnd) {
  {
    KvSequence s(cache_);
    ASSERT_TRUE(s.reserve(256));
  }
  EXPECT_EQ(taken(), 0);
}

TEST_F(Sequence, MovesWithItsPages) {
  KvSequence s(cache_);
  ASSERT_TRUE(s.reserve(80));
  s.set_length(80);
  const std::vector<std::byte*> pages = pages_of(s, 2);
  {
    const KvSequence moved(std::move(s));
    EXPECT_EQ(moved.length(), 80);
    EXPECT_EQ(pages_of(moved, 2), pages);
    EXPECT_EQ(s.length(), 0);  // NOLINT(bugprone-use-after-move): it is empty, not invalid
    EXPECT_EQ(taken(), 2);
  }
  EXPECT_EQ(taken(), 0) << "the pages went with the one that had them, once";
}

TEST_F(Sequence, WithoutDropsAndWindowsHasItsKeysAtTheirPositions) {
  KvSequence s(cache_);
  ASSERT_TRUE(s.reserve(200));
  s.set_length(200);
  const KvView view = s.view(0);
  EXPECT_THAT((std::vector<int64_t>{view.kept, view.begin, view.shift, view.dropped}), ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(s.held(), 200);
}

TEST_F(Sequence, DroppingReturnsTheWholePagesBetween) {
  KvSequence s(cache_);
  ASSERT_TRUE(s.reserve(250));
  s.set_length(250);
  const std::vector<std::byte*> pages = pages_of(s, 4);
  s.drop(10, 60);  // to position 70: no whole page
  EXPECT_EQ(taken(), 4);
  EXPECT_EQ(s.held(), 190);
  s.drop(10, 130);  // to position 200: the second and third page
  EXPECT_EQ(taken(), 2);
  EXPECT_THAT(pages_of(s, 2), ElementsAre(pages[0], pages[3]));
  const KvView view = s.view(0);
  EXPECT_THAT((std::vector<int64_t>{view.kept, view.begin, view.shift, view.dropped}), ElementsAre(10, 72, 128, 190));
  EXPECT_EQ(s.held(), 60);
  EXPECT_EQ(s.length(), 250);
  EXPECT_TRUE(s.reserve(250 + 128)) << "two pages are free again";
}

TEST_F(Sequence, MayDropAllAfterTheFirst) {
  KvSequence s(cache_);
  ASSERT_TRUE(s.reserve(200));
  s.set_length(200);
  s.drop(0, 200);
  EXPECT_EQ(s.held(), 0);
  EXPECT_EQ(taken(), 1) << "the page that the next key lies in";
  EXPECT_EQ(s.view(0).begin + s.view(0).shift, 200);
}

TEST_F(Sequence, KeepsTheSameFirstKeysInAllDrops) {
  KvSequence s(cache_);
  ASSERT_TRUE(s.reserve(200));
  s.set_length(200);
  s.drop(10, 20);
  EXPECT_EQ(test::error_of([&] { s.drop(11, 5); }).code(), Errc::kInternal);
  EXPECT_EQ(test::error_of([&] { s.drop(10, 171); }).code(), Errc::kInternal) << "more than there is";
  EXPECT_EQ(s.held(), 180);
}

TEST_F(Sequence, EmptyingForgetsWhatWasDropped) {
  KvSequence s(cache_);
  ASSERT_TRUE(s.reserve(200));
  s.set_length(200);
  s.drop(10, 100);
  s.clear();
  EXPECT_EQ(taken(), 0);
  ASSERT_TRUE(s.reserve(1));
  const KvView view = s.view(0);
  EXPECT_THAT((std::vector<int64_t>{view.kept, view.begin, view.shift, view.dropped}), ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(s.dropped(), 0);
}

TEST(SequenceOfGroups, OnlyTheGroupOfAllKeysDrops) {
  KvCache cache(make_kv_spec({kWindow, kAll}, {}, 1000), {.max_keys = 1000, .max_rows = 300, .sinks = 4});
  KvSequence s(cache);
  ASSERT_TRUE(s.reserve(300));
  s.set_length(300);
  const KvView before = s.view(0);
  s.drop(10, 250);
  const KvView window = s.view(0), all = s.view(1);
  EXPECT_EQ(window.begin, before.begin);
  EXPECT_EQ(window.shift, before.shift);
  EXPECT_EQ(window.kept, 4);
  EXPECT_EQ(window.dropped, 250);  // its first keys are met as if they had moved up, too
  EXPECT_EQ(all.kept, 10);
  EXPECT_EQ(all.begin + all.shift, 260);
  EXPECT_EQ(all.dropped, 250);
}

}  // namespace
}  // namespace skald::sequence_test
