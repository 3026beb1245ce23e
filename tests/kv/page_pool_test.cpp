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
  pool.take();
  EXPECT_EQ(pool.bytes(), 1000);
  EXPECT_EQ(pool.taken(), 1);
}

TEST(PagePool, GivesDistinctPagesUpToItsLimit) {
  PagePool pool({128}, 3);
  std::set<std::byte*> pages;
  for (int i = 0; i < 3; ++i) {
    std::byte* page = pool.take();
    ASSERT_NE(page, nullptr);
    std::memset(page, i, 128);
    pages.insert(page);
  }
  EXPECT_EQ(pages.size(), 3u);
  EXPECT_EQ(pool.take(), nullptr);
  EXPECT_EQ(pool.taken(), 3);
  EXPECT_EQ(pool.bytes(), 3 * 128);
}

TEST(PagePool, MakesThePagesOfASlabAtOnce) {
  PagePool pool({.bytes = 1024, .pages = 3, .step = 64}, 5);
  std::byte* const first = pool.take();
  EXPECT_EQ(pool.pages(), 3);
  EXPECT_EQ(pool.bytes(), 1024);
  EXPECT_EQ(pool.taken(), 1);
  EXPECT_EQ(pool.take(), first + 64);
  EXPECT_EQ(pool.take(), first + 128);
  EXPECT_EQ(pool.bytes(), 1024);
  std::byte* const fourth = pool.take();
  EXPECT_EQ(pool.bytes(), 2048);
  EXPECT_EQ(pool.take(), fourth + 64);
  EXPECT_EQ(pool.pages(), 5) << "not more than its limit";
  EXPECT_EQ(pool.take(), nullptr);
}

TEST(PagePool, ReusesWhatIsGivenBack) {
  PagePool pool({128}, 2);
  std::byte* const first = pool.take();
  pool.take();
  pool.give_back(first);
  EXPECT_EQ(pool.taken(), 1);
  EXPECT_EQ(pool.take(), first);
  EXPECT_EQ(pool.bytes(), 2 * 128) << "no third page was made";
  EXPECT_EQ(pool.take(), nullptr);
}

TEST(PagePool, WithoutPagesHasNone) { EXPECT_EQ(PagePool({128}, 0).take(), nullptr); }

TEST(PagePool, LocksItsPagesWhenTheyAreMade) {
  if (test::kSanitized) GTEST_SKIP() << "sanitizers let mlock do nothing";
  constexpr int64_t kPage = 8192;  // what anybody may lock
  MemoryLock lock("pages", 2 * kPage);
  PagePool pool({kPage}, 2, &lock);
  const int64_t before = locked_memory();
  std::byte* const page = pool.take();
  EXPECT_EQ(locked_memory(), before + kPage);
  pool.give_back(page);
  pool.take();
  EXPECT_EQ(locked_memory(), before + kPage);
  pool.give_back(page);
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
  std::byte *a = pool.take(), *b = pool.take();
  pool.give_back(a);
  pool.give_back(b);
  EXPECT_EQ(pool.bytes(), 2 * 64);
  pool.trim();
  EXPECT_EQ(pool.bytes(), 0);
  EXPECT_NE(pool.take(), nullptr);
  EXPECT_NE(pool.take(), nullptr);
  EXPECT_EQ(pool.take(), nullptr);
}

}  // namespace
}  // namespace skald
