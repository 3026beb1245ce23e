// What systems without calls of their own do not say is unknown.
#include <gtest/gtest.h>

#include <cmath>

#include "base/cgroup_cpus.h"
#include "base/cgroup_memory.h"
#include "base/cpu_affinity.h"
#include "base/cpu_topology.h"
#include "base/file_system.h"
#include "base/memory.h"

namespace skald {
namespace {

TEST(Unknown, AreGroupsNodesCachesAndFileSystems) {
  EXPECT_TRUE(std::isinf(cgroup_cpus()));
  EXPECT_EQ(cgroup_room(), std::nullopt);
  EXPECT_TRUE(present_cpus().empty());
  EXPECT_TRUE(numa_nodes().empty());
  EXPECT_EQ(last_level_cache_bytes(), 0);
  EXPECT_EQ(file_system_of("/"), "");
}

TEST(Unknown, IsWhereThreadsRunAndSoItStays) {
  EXPECT_TRUE(thread_affinity().empty());
  EXPECT_EQ(running_cpu(), -1);
  EXPECT_FALSE(set_thread_affinity(pthread_self(), {0}));
  const ScopedAffinity scope({0});
}

TEST(Memory, IsAvailableAsFarAsThisProcessHasNotTakenIt) {
  EXPECT_GT(available_memory(), 0);
  EXPECT_LT(available_memory(), system_memory());
  EXPECT_GT(peak_memory(), 0);
}

}  // namespace
}  // namespace skald
