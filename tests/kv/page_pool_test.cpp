#include "kv/page_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "base/memory.h"
#include "tests/support/errors.h"
#include "tests/support/told.h"

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

TEST(PagePool, APageThatIsTakenAgainKnowsNothingOfItsFormerKeys) {
  PagePool pool({128}, 1);
  {
    PageRef page = pool.take();
    page.origin().add(0, 3, {.generated = true, .policy = 1});
    page.origin().add(3, 5, {.generated = true, .policy = 2});
    page.origin().after_drop = true;
  }
  const PageRef again = pool.take();
  EXPECT_EQ(again.origin().generated, 0u);
  EXPECT_EQ(again.origin().policy, 0u);
  EXPECT_FALSE(again.origin().mixed);
  EXPECT_FALSE(again.origin().after_drop);
}

TEST(PagePool, MakesThePagesOfASlabAtOnce) {
  PagePool pool({.bytes = 1024, .pages = 3, .step = 64}, 5);
  std::vector<PageRef> held;
  const auto take = [&] {
    held.push_back(pool.take(held.empty() ? PageRef() : held.back()));
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

TEST(PagePool, TakesSparePagesFromTheEndsOfStretchesBeforeItGrows) {
  PagePool pool({.bytes = 1024, .pages = 4, .step = 64}, 8);
  const PageRef first = pool.take(), spare = pool.take_spare(), next = pool.take(first), other = pool.take_spare();
  EXPECT_TRUE(PagePool::neighbours(first, next));
  EXPECT_EQ(spare.data(), first.data() + 3 * 64);
  EXPECT_EQ(other.data(), first.data() + 2 * 64);
  EXPECT_EQ(pool.bytes(), 1024);
  const PageRef more = pool.take_spare();
  EXPECT_TRUE(more);
  EXPECT_EQ(pool.bytes(), 2 * 1024);
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
  if (!test::tells_locked_memory()) GTEST_SKIP() << "the system does not tell what is locked";
  constexpr int64_t kPage = 8192;  // what each user may lock
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

TEST(PagePool, HasAllOfItsPagesToGiveOnceItsMemoryIsGone) {
  PagePool pool({64}, 2);
  { const PageRef a = pool.take(), b = pool.take(); }
  pool.trim();
  EXPECT_EQ(pool.taken(), 0);
  EXPECT_EQ(pool.available(), 2);
}

TEST(PagePool, PagesOfDifferentSlabsAreNoNeighbours) {
  PagePool pool({.bytes = 2 * 64, .pages = 2, .step = 64}, 4);
  const PageRef a = pool.take(), b = pool.take(a), c = pool.take(b), d = pool.take(c);
  EXPECT_TRUE(PagePool::neighbours(a, b));
  EXPECT_FALSE(PagePool::neighbours(b, c));
  EXPECT_TRUE(PagePool::neighbours(c, d));
}

// Of the next pages of sequences that come and go, how many lie directly after the one before.
double share_of_neighbours(PagePool& pool, std::vector<std::vector<PageRef>>& sequences, uint64_t seed, int rounds) {
  std::mt19937_64 random(seed);
  const auto fill = [&](std::vector<PageRef>& pages, size_t n) {
    while (pages.size() < n) {
      PageRef page = pool.take(pages.empty() ? PageRef() : pages.back());
      if (!page) return;
      pages.push_back(std::move(page));
    }
  };
  for (int i = 0; i < rounds; ++i) {
    std::vector<PageRef>& some = sequences[random() % sequences.size()];
    if (random() % 3 == 0) some.clear();
    fill(some, some.size() + 1 + random() % 40);
  }
  int64_t next = 0, neighbours = 0;
  for (const std::vector<PageRef>& pages : sequences)
    for (size_t i = 1; i < pages.size(); ++i, ++next) neighbours += PagePool::neighbours(pages[i - 1], pages[i]);
  return static_cast<double>(neighbours) / static_cast<double>(next);
}

TEST(PagePool, KeepsASequencesPagesTogetherWhenOthersComeAndGo) {
  for (const uint64_t seed : {1, 2, 3}) {
    PagePool pool({.bytes = 130 * 64, .pages = 130, .step = 64}, 8 * 130);
    std::vector<std::vector<PageRef>> sequences(8);
    share_of_neighbours(pool, sequences, seed, 2000);
    sequences.assign(8, {});
    EXPECT_EQ(pool.taken(), 0);
    EXPECT_GE(share_of_neighbours(pool, sequences, seed + 10, 12), 0.95) << "empty again, it is as good as new";
    EXPECT_GE(share_of_neighbours(pool, sequences, seed + 20, 500), 0.85) << "while it is in use";
  }
}

TEST(PagePool, BranchesTakeTurnsWithoutTearingEachOtherApart) {
  PagePool pool({.bytes = 130 * 64, .pages = 130, .step = 64}, 130);
  std::vector<PageRef> a, b;
  for (int i = 0; i < 40; ++i)
    for (std::vector<PageRef>* pages : {&a, &b}) pages->push_back(pool.take(pages->empty() ? PageRef() : pages->back()));
  for (size_t i = 1; i < 40; ++i) {
    EXPECT_TRUE(PagePool::neighbours(a[i - 1], a[i])) << i;
    EXPECT_TRUE(PagePool::neighbours(b[i - 1], b[i])) << i;
  }
}

std::vector<std::byte> bytes_of(const PagePool& pool, const PageRef& page) {
  std::vector<std::byte> out(static_cast<size_t>(pool.page_bytes()));
  ReadPieces pieces;
  pieces.add(out, pool.strip(page));
  pieces.read(host_memory());
  return out;
}

void fill(const PagePool& pool, const PageRef& page, std::span<const std::byte> bytes) {
  WritePieces pieces;
  pieces.add(bytes, pool.strip(page));
  pieces.write(host_memory());
}

TEST(PagePool, NamesThePiecesOfAPageInAnOrderThatSlabsDoNotChange) {
  PagePool slabs({.bytes = 4 * 3 * 64, .pages = 4, .step = 64}, 4), pages({3 * 64}, 2);
  const PageRef first = slabs.take(), second = slabs.take(first), other = pages.take();
  std::vector<std::byte> bytes(3 * 64);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  fill(slabs, second, bytes);
  EXPECT_EQ(bytes_of(slabs, first), std::vector<std::byte>(3 * 64)) << "the neighbour is as it was";
  EXPECT_EQ(bytes_of(slabs, second), bytes);
  fill(pages, other, bytes_of(slabs, second));
  EXPECT_EQ(std::memcmp(other.data(), bytes.data(), bytes.size()), 0);
}

}  // namespace
}  // namespace skald
