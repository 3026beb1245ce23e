#include "kv/page_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "base/memory.h"
#include "tests/support/errors.h"
#include "tests/support/sanitized.h"

namespace skald {
namespace {

TEST(PagePool, MakesPagesOnlyWhenTheyAreTaken) {
  PagePool pool({1000}, 4);
  EXPECT_EQ(pool.bytes(), 0);
  EXPECT_EQ(pool.taken(), 0);
  EXPECT_EQ(pool.max_pages(), 4);
  EXPECT_EQ(pool.page_bytes(), 1000);
  const PageRef page = pool.take();
  EXPECT_EQ(pool.bytes(), 1000);
  EXPECT_EQ(pool.taken(), 1);
}

TEST(PagePool, GivesDistinctPagesUpToItsLimit) {
  PagePool pool({128}, 3);
  std::set<std::byte*> pages;
  std::vector<PageRef> held;
  for (int i = 0; i < 3; ++i) {
    held.push_back(pool.take());
    ASSERT_TRUE(held.back());
    std::memset(held.back().data(), i, 128);
    pages.insert(held.back().data());
  }
  EXPECT_EQ(pages.size(), 3u);
  EXPECT_FALSE(pool.take());
  EXPECT_EQ(pool.taken(), 3);
  EXPECT_EQ(pool.bytes(), 3 * 128);
}

TEST(PagePool, MakesThePagesOfASlabAtOnce) {
  PagePool pool({.bytes = 1024, .pages = 3, .step = 64}, 5);
  std::vector<PageRef> held;
  const auto take = [&] {
    held.push_back(pool.take());
    return held.back() ? held.back().data() : nullptr;
  };
  std::byte* const first = take();
  EXPECT_EQ(pool.pages(), 3);
  EXPECT_EQ(pool.bytes(), 1024);
  EXPECT_EQ(pool.taken(), 1);
  EXPECT_EQ(take(), first + 64);
  EXPECT_EQ(take(), first + 128);
  EXPECT_EQ(pool.bytes(), 1024);
  std::byte* const fourth = take();
  EXPECT_EQ(pool.bytes(), 2048);
  EXPECT_EQ(take(), fourth + 64);
  EXPECT_EQ(pool.pages(), 5) << "not more than its limit";
  EXPECT_EQ(take(), nullptr);
}

TEST(PagePool, ReusesWhatIsGivenBack) {
  PagePool pool({128}, 2);
  PageRef first = pool.take();
  const PageRef second = pool.take();
  const std::byte* const place = first.data();
  first = {};
  EXPECT_EQ(pool.taken(), 1);
  first = pool.take();
  EXPECT_EQ(first.data(), place);
  EXPECT_EQ(pool.bytes(), 2 * 128) << "no third page was made";
  EXPECT_FALSE(pool.take());
}

TEST(PagePool, APageIsFreeWhenItsLastOwnerIsGone) {
  PagePool pool({128}, 1);
  PageRef first = pool.take();
  EXPECT_FALSE(first.shared());
  PageRef second = first;
  EXPECT_TRUE(first.shared());
  EXPECT_EQ(first.data(), second.data());
  first = {};
  EXPECT_EQ(pool.taken(), 1);
  EXPECT_FALSE(second.shared());
  const PageRef moved = std::move(second);
  EXPECT_EQ(pool.available(), 0);
  static_cast<void>(PageRef(moved));
  EXPECT_FALSE(moved.shared());
}

TEST(PagePool, WithoutPagesHasNone) {
  PagePool pool({128}, 0);
  EXPECT_FALSE(pool.take());
}

TEST(PagePool, LocksItsPagesWhenTheyAreMade) {
  if (test::kSanitized) GTEST_SKIP() << "sanitizers let mlock do nothing";
  constexpr int64_t kPage = 8192;  // what anybody may lock
  MemoryLock lock("pages", 2 * kPage);
  PagePool pool({kPage}, 2, &lock);
  const int64_t before = locked_memory();
  pool.take();
  EXPECT_EQ(locked_memory(), before + kPage);
  pool.take();
  EXPECT_EQ(locked_memory(), before + kPage);
  pool.trim();
  EXPECT_EQ(locked_memory(), before);
}

TEST(PagePool, IsAsBeforeWhenTheSystemHasNoMemory) {
  PagePool pool({int64_t{1} << 60}, 4);
  EXPECT_EQ(test::error_of([&] { pool.take(); }).code(), Errc::kNoMemory);
  EXPECT_EQ(pool.taken(), 0);
  EXPECT_EQ(pool.bytes(), 0);
}

TEST(PagePool, GivesItsMemoryBackAndMakesNewPages) {
  PagePool pool({64}, 2);
  { const PageRef a = pool.take(), b = pool.take(); }
  EXPECT_EQ(pool.bytes(), 2 * 64);
  pool.trim();
  EXPECT_EQ(pool.bytes(), 0);
  const PageRef a = pool.take(), b = pool.take();
  EXPECT_TRUE(a);
  EXPECT_TRUE(b);
  EXPECT_FALSE(pool.take());
}

}  // namespace
}  // namespace skald
