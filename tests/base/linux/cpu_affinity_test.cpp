// Affinity: read, set for a scope, and put back.
#include "base/cpu_affinity.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace skald {
namespace {

// On a thread of its own, whose mask ends with it.
template <class Body>
void on_a_thread(Body body) {
  std::thread(body).join();
}

TEST(ThreadAffinity, HoldsTheProcessorThatRunsIt) {
  const CpuList cpus = thread_affinity();
  ASSERT_FALSE(cpus.empty());
  EXPECT_EQ(intersection(cpus, {sched_getcpu()}).size(), 1u);
}

TEST(ThreadAffinity, IsWhatWasSet) {
  on_a_thread([] {
    const CpuList last = {thread_affinity().back()};
    EXPECT_TRUE(set_thread_affinity(pthread_self(), last));
    EXPECT_EQ(thread_affinity(), last);
    EXPECT_EQ(sched_getcpu(), last[0]);
  });
}

TEST(ThreadAffinity, OfProcessorsThatAreNotThereIsRefused) {
  on_a_thread([] {
    const CpuList before = thread_affinity();
    EXPECT_FALSE(set_thread_affinity(pthread_self(), {kMaxCpu}));
    EXPECT_EQ(thread_affinity(), before);
  });
}

TEST(ScopedAffinity, EndsWithItsScope) {
  on_a_thread([] {
    const CpuList before = thread_affinity(), one = {before.back()};
    {
      const ScopedAffinity scope(one);
      EXPECT_EQ(thread_affinity(), one);
      {
        const ScopedAffinity same(one);
        EXPECT_EQ(thread_affinity(), one);
      }
      EXPECT_EQ(thread_affinity(), one);
    }
    EXPECT_EQ(thread_affinity(), before);
  });
}

TEST(ScopedAffinity, OfNoneOrOfWhatIsNotThereChangesNothing) {
  on_a_thread([] {
    const CpuList before = thread_affinity();
    const ScopedAffinity none({}), missing({kMaxCpu});
    EXPECT_EQ(thread_affinity(), before);
  });
}

}  // namespace
}  // namespace skald
