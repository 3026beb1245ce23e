// ThreadPool: which thread runs which part and where, parking and waking, fewer threads than there are, waiting, teardown,
// denormals.
#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "base/cpu_affinity.h"
#include "base/error.h"
#include "tests/support/told.h"

namespace skald {
namespace {

// Longer than the workers spin, so that they are parked afterwards.
void let_them_park() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

class ThreadPoolOf : public testing::TestWithParam<int> {};

TEST_P(ThreadPoolOf, EveryThreadRunsOnce) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(pool.size(), GetParam());
  std::vector<int> calls(pool.size(), 0);  // plain: each thread writes its own, and run() orders them for us
  std::vector<std::thread::id> ids(pool.size());
  pool.run([&](int thread) {
    ++calls[thread];
    ids[thread] = std::this_thread::get_id();
  });
  EXPECT_EQ(calls, std::vector<int>(pool.size(), 1));
  EXPECT_EQ(ids[0], std::this_thread::get_id());
  EXPECT_EQ(std::set<std::thread::id>(ids.begin(), ids.end()).size(), ids.size());
}

TEST_P(ThreadPoolOf, EveryPartRunsOnceOnAnyThread) {
  ThreadPool pool(GetParam());
  for (int i = 0; i < 2000; ++i) {
    pool.set_size(1 + i * 5 % pool.capacity());
    if (i % 100 == 99) let_them_park();
    std::vector<int> calls(pool.capacity(), 0), want(pool.capacity(), 0);
    std::fill_n(want.begin(), pool.size(), 1);
    const auto count = [&](int part) { ++calls[part]; };
    if (i % 3)
      pool.parts(count);
    else
      pool.run(count);
    ASSERT_EQ(calls, want) << i;
  }
}

TEST_P(ThreadPoolOf, ThrowsWhatAPartThrewWhenAllAreDone) {
  ThreadPool pool(GetParam());
  for (int bad = 0; bad < pool.size(); ++bad) {
    std::vector<int> calls(pool.size(), 0);
    const auto body = [&](int part) {
      ++calls[part];
      if (part == bad) throw Error(Errc::kNoMemory, "no memory");
    };
    EXPECT_THROW(pool.run(body), Error) << bad;
    EXPECT_EQ(calls, std::vector<int>(pool.size(), 1)) << bad;
    EXPECT_THROW(pool.parts(body), Error) << bad;
    EXPECT_EQ(calls, std::vector<int>(pool.size(), 2)) << bad;
  }
  EXPECT_THROW(pool.run([](int) { throw 42; }), int);
  int64_t done = 0;
  pool.ranges(1, 1, [&](int64_t, int64_t, int) { ++done; });
  EXPECT_EQ(done, 1) << "the pool goes on";
}

TEST_P(ThreadPoolOf, RangesCoverEachItemOnce) {
  ThreadPool pool(GetParam());
  for (const int64_t n : {0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 1000}) {
    for (const int64_t grain : {1, 2, 3, 8, 16, 64, 1001}) {
      std::vector<int> seen(n, 0);
      std::vector<int64_t> share(pool.size(), 0);
      pool.ranges(n, grain, [&](int64_t begin, int64_t end, int thread) {
        EXPECT_EQ(begin % grain, 0);
        EXPECT_TRUE(end == n || end % grain == 0);
        for (int64_t i = begin; i < end; ++i) ++seen[i];
        share[thread] += (end - begin + grain - 1) / grain;
      });
      ASSERT_EQ(seen, std::vector<int>(n, 1)) << "n " << n << " grain " << grain;
      const auto [least, most] = std::minmax_element(share.begin(), share.end());
      EXPECT_LE(*most - *least, 1) << "n " << n << " grain " << grain;
    }
  }
}

TEST_P(ThreadPoolOf, DynamicCoversEachItemOnce) {
  ThreadPool pool(GetParam());
  for (const int64_t n : {0, 1, 2, 17, 1000}) {
    std::vector<int> seen(n, 0);
    pool.dynamic(n, [&](int64_t item, int thread) {
      EXPECT_TRUE(thread >= 0 && thread < pool.size());
      ++seen[item];
    });
    ASSERT_EQ(seen, std::vector<int>(n, 1)) << "n " << n;
  }
}

TEST_P(ThreadPoolOf, GuidedCoversAllInWholeGrainsThatShrink) {
  ThreadPool pool(GetParam());
  for (const int64_t n : {0, 1, 15, 16, 17, 1000, 4096})
    for (const int64_t grain : {1, 16, 5000}) {
      std::vector<int> seen(n, 0);
      std::vector<int64_t> length(n, 0);  // of the range that begins here
      pool.guided(n, grain, [&](int64_t begin, int64_t end, int thread) {
        EXPECT_TRUE(thread >= 0 && thread < pool.size());
        EXPECT_EQ(begin % grain, 0);
        EXPECT_TRUE(begin < end && end <= n && ((end - begin) % grain == 0 || end == n)) << begin << " to " << end;
        length[begin] = end - begin;
        for (int64_t i = begin; i < end; ++i) ++seen[i];
      });
      ASSERT_EQ(seen, std::vector<int>(n, 1)) << "n " << n << " grain " << grain;
      std::erase(length, 0);
      EXPECT_TRUE(std::ranges::is_sorted(length, std::greater())) << "n " << n << " grain " << grain;
      EXPECT_TRUE(n == 0 || length.front() <= std::max(grain, 3 * n / (4 * pool.size())));
    }
}

TEST_P(ThreadPoolOf, ThousandsOfRunsInARow) {
  ThreadPool pool(GetParam());
  std::vector<int64_t> sums(pool.size(), 0);
  constexpr int64_t kRuns = 5000;
  for (int64_t i = 0; i < kRuns; ++i) pool.run([&, i](int thread) { sums[thread] += i; });
  EXPECT_EQ(sums, std::vector<int64_t>(pool.size(), kRuns * (kRuns - 1) / 2));
}

TEST_P(ThreadPoolOf, RunsAfterParking) {
  ThreadPool pool(GetParam());
  std::vector<int> calls(pool.size(), 0);
  for (int i = 0; i < 10; ++i) {
    let_them_park();
    pool.run([&](int thread) { ++calls[thread]; });
  }
  EXPECT_EQ(calls, std::vector<int>(pool.size(), 10));
}

// Pauses around the time at which workers give up spinning: a lost wake-up would hang here.
TEST_P(ThreadPoolOf, RunsWhileParking) {
  ThreadPool pool(GetParam());
  std::vector<int> calls(pool.size(), 0);
  constexpr int kRuns = 400;
  for (int i = 0; i < kRuns; ++i) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(80 + i % 60);
    while (std::chrono::steady_clock::now() < until) {
    }
    pool.run([&](int thread) { ++calls[thread]; });
  }
  EXPECT_EQ(calls, std::vector<int>(pool.size(), kRuns));
}

TEST_P(ThreadPoolOf, IsDestroyedFreshSpinningOrParked) {
  for (int i = 0; i < 20; ++i) ThreadPool fresh(GetParam());
  for (int i = 0; i < 20; ++i) {
    ThreadPool spinning(GetParam());
    spinning.run([](int) {});
  }
  ThreadPool parked(GetParam());
  parked.run([](int) {});
  let_them_park();
}

// Sizes in an order that has workers sit out for one fork-join or many, and come back from any of both.
TEST_P(ThreadPoolOf, RunsOnAsManyThreadsAsItIsTold) {
  ThreadPool pool(GetParam());
  for (int i = 0; i < 300; ++i) {
    const int size = 1 + i * 5 % pool.capacity();
    pool.set_size(size);
    EXPECT_EQ(pool.size(), size);
    for (int run = 0; run < i % 4; ++run) {
      std::vector<int> calls(pool.capacity(), 0), want(pool.capacity(), 0);
      std::fill_n(want.begin(), size, 1);
      pool.run([&](int thread) { ++calls[thread]; });
      ASSERT_EQ(calls, want) << i;
    }
  }
  EXPECT_EQ(pool.capacity(), GetParam());
}

TEST_P(ThreadPoolOf, RunsOnMoreThreadsAfterALongTimeOnFewer) {
  ThreadPool pool(GetParam());
  for (int i = 0; i < 5; ++i) {
    pool.set_size(1 + i % std::min(2, pool.capacity()));
    pool.run([](int) {});
    let_them_park();
    for (int run = 0; run < 100; ++run) pool.run([](int) {});
    pool.set_size(pool.capacity());
    if (i % 2) let_them_park();
    std::vector<int> calls(pool.capacity(), 0);
    pool.run([&](int thread) { ++calls[thread]; });
    ASSERT_EQ(calls, std::vector<int>(pool.capacity(), 1)) << i;
  }
}

TEST_P(ThreadPoolOf, SharesWorkAmongThoseThatTakePart) {
  ThreadPool pool(GetParam());
  const int size = (pool.capacity() + 1) / 2;
  pool.set_size(size);
  std::vector<int> seen(1000, 0);
  const auto take = [&](int64_t begin, int64_t end, int thread) {
    EXPECT_LT(thread, size);
    for (int64_t i = begin; i < end; ++i) ++seen[i];
  };
  pool.ranges(1000, 16, take);
  pool.guided(1000, 16, take);
  pool.dynamic(1000, [&](int64_t item, int thread) { take(item, item + 1, thread); });
  EXPECT_EQ(seen, std::vector<int>(1000, 3));
}

TEST_P(ThreadPoolOf, IsDestroyedWhileSomeSitOut) {
  for (int i = 0; i < 20; ++i) {
    ThreadPool pool(GetParam());
    pool.set_size((pool.capacity() + 1) / 2);
    if (i % 2) pool.run([](int) {});
    if (i % 4 == 3) let_them_park();
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ThreadPoolOf, testing::Values(1, 2, 3, 4, 7));

TEST(ThreadPool, TwoPoolsAtOnce) {
  constexpr int kRuns = 1000;
  const auto drive = [](int64_t& total) {
    ThreadPool pool(2);
    std::vector<int64_t> sums(2, 0);
    for (int i = 0; i < kRuns; ++i) pool.run([&](int thread) { ++sums[thread]; });
    total = sums[0] + sums[1];
  };
  int64_t first = 0, second = 0;
  std::thread other([&] { drive(second); });
  drive(first);
  other.join();
  EXPECT_EQ(first, 2 * kRuns);
  EXPECT_EQ(second, 2 * kRuns);
}

TEST(ThreadPool, ManyMoreThreadsThanProcessorsStillFinish) {
  ThreadPool pool(32);
  std::vector<int> calls(pool.size(), 0);
  for (int i = 0; i < 50; ++i) pool.run([&](int thread) { ++calls[thread]; });
  EXPECT_EQ(calls, std::vector<int>(pool.size(), 50));
}

// Parked threads take longer to wake than the parts take.
TEST(ThreadPool, TheCallerTakesOverWhatOthersHaveNotBegun) {
  ThreadPool pool(8);
  int taken_over = 0;
  for (int i = 0; i < 20; ++i) {
    let_them_park();
    std::vector<std::thread::id> ids(pool.size());
    pool.parts([&](int part) { ids[part] = std::this_thread::get_id(); });
    taken_over += static_cast<int>(std::ranges::count(ids, std::this_thread::get_id())) - 1;
  }
  EXPECT_GT(taken_over, 0);
}

// The caller sleeps by then.
TEST(ThreadPool, TheCallerIsWokenByTheLastToFinish) {
  ThreadPool pool(3);
  std::vector<int> calls(pool.size(), 0);
  for (int i = 0; i < 10; ++i)
    pool.run([&](int thread) {
      if (thread) std::this_thread::sleep_for(std::chrono::milliseconds(2 * thread));
      ++calls[thread];
    });
  EXPECT_EQ(calls, std::vector<int>(pool.size(), 10));
}

TEST(ThreadPool, TakesConstAndMutableBodies) {
  ThreadPool pool(2);
  std::vector<int> calls(2, 0);
  const auto fixed = [&calls](int thread) { ++calls[thread]; };
  pool.run(fixed);
  auto counting = [&calls, n = 0](int thread) mutable { calls[thread] += 1 + 0 * n; };
  pool.run(counting);
  EXPECT_EQ(calls, std::vector<int>(2, 2));
}

TEST(ThreadPool, KeepsEachThreadOnItsPlace) {
  if (!test::tells_affinity()) GTEST_SKIP() << "the system does not tell where threads run";
  const CpuList all = thread_affinity();
  std::vector<CpuList> places;
  for (int cpu : all) places.push_back({cpu});
  ThreadPool pool(static_cast<int>(all.size()) + 1, places);
  EXPECT_EQ(pool.place(0), places[0]);
  EXPECT_EQ(pool.place(static_cast<int>(all.size())), places[0]);
  std::vector<CpuList> ran(pool.size());
  const auto look = [&](int thread) { ran[thread] = thread_affinity(); };
  pool.run(look);
  EXPECT_EQ(ran[0], all) << "the caller";
  for (int thread = 1; thread < pool.size(); ++thread) EXPECT_EQ(ran[thread], pool.place(thread)) << thread;
  const ScopedAffinity scope(pool.place(0));
  pool.run(look);
  EXPECT_EQ(ran[0], pool.place(0));
}

TEST(ThreadPool, WithoutPlacesRunsAnywhere) {
  ThreadPool pool(2);
  EXPECT_TRUE(pool.place(1).empty());
  CpuList ran;
  pool.run([&](int thread) {
    if (thread) ran = thread_affinity();
  });
  EXPECT_EQ(ran, thread_affinity());
}

TEST(ThreadPool, RefusesPlacesThatAreNotThere) { EXPECT_THROW(ThreadPool(3, {{0}, {kMaxCpu}}), Error); }

// One thread works and the others have nothing to do.
void one_works(ThreadPool& pool, int worker) {
  constexpr auto kWork = std::chrono::milliseconds(20);
  pool.run([&](int thread) {
    const auto until = std::chrono::steady_clock::now() + kWork;
    while (thread == worker && std::chrono::steady_clock::now() < until) {
    }
  });
}

TEST(ThreadPoolWaiting, IsOfAllThreadsForTheSlowest) {
  ThreadPool pool(2);
  ScopedWaitTiming waiting(pool);
  for (int worker : {0, 1}) {
    // Threads begin when the system lets them: the idle one may have to wait before it can wait here.
    double most = 0;
    for (int i = 0; i < 20 && most < 0.015; ++i) {
      one_works(pool, worker);
      most = std::max(most, waiting.take());
    }
    EXPECT_GT(most, 0.015) << worker;
  }
  EXPECT_EQ(waiting.take(), 0) << "taken";
}

TEST(ThreadPoolWaiting, IsNoneOnOneThread) {
  ThreadPool pool(3);
  pool.set_size(1);
  ScopedWaitTiming waiting(pool);
  one_works(pool, 0);
  EXPECT_EQ(waiting.take(), 0);
}

TEST(ThreadPoolWaiting, IsTimedWithinItsScopeOnly) {
  ThreadPool pool(2);
  one_works(pool, 0);
  EXPECT_EQ(pool.take_waited(), 0);
  {
    ScopedWaitTiming waiting(pool);
    one_works(pool, 0);
  }
  EXPECT_GT(pool.take_waited(), 0);
  one_works(pool, 0);
  EXPECT_EQ(pool.take_waited(), 0);
}

TEST(ThreadPool, RefusesNoThreads) { EXPECT_THROW(ThreadPool(0), Error); }

// A product of normal numbers that is denormal; volatile keeps it from being computed at compile time.
bool flushes() {
  volatile float small = std::numeric_limits<float>::min();
  volatile float half = 0.5f;
  volatile float product = small * half;
  return product == 0.0f;
}

// A denormal operand counts as zero.
bool ignores_denormal_operands() {
  volatile float denormal = std::numeric_limits<float>::denorm_min();
  volatile float large = 0x1p100f;
  volatile float product = denormal * large;
  return product == 0.0f;
}

TEST(FlushDenormals, IsSetInWorkersAndNotInTheCaller) {
  ThreadPool pool(3);
  std::vector<int> flushed(pool.size(), -1);
  pool.run([&](int thread) { flushed[thread] = flushes() && ignores_denormal_operands() ? 1 : 0; });
  EXPECT_EQ(flushed, (std::vector<int>{0, 1, 1}));
}

TEST(FlushDenormals, LastsForTheScopeAndNests) {
  EXPECT_FALSE(flushes());
  {
    const ScopedFlushDenormals outer;
    EXPECT_TRUE(flushes());
    EXPECT_TRUE(ignores_denormal_operands());
    {
      const ScopedFlushDenormals inner;
      EXPECT_TRUE(flushes());
    }
    EXPECT_TRUE(flushes());
  }
  EXPECT_FALSE(flushes());
  EXPECT_FALSE(ignores_denormal_operands());
}

}  // namespace
}  // namespace skald
