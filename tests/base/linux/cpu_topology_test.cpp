// Memory nodes, of a made-up folder of /sys.
#include "base/cpu_topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temp_dir.h"

namespace skald {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NumaNodes, TakesThoseWithCpusInOrder) {
  const test::TempDir dir;
  const auto node = [&](const char* name, const char* cpus) {
    std::filesystem::create_directory(dir.path(name));
    std::ofstream(dir.path(name) + "/cpulist") << cpus << '\n';
  };
  node("node10", "8-9");
  node("node2", "4-5,7");
  node("node0", "0-3");
  node("node1", "");  // memory alone
  node("nodes", "1");
  node("power", "1");
  EXPECT_THAT(numa_nodes(dir.path("")), ElementsAre(CpuList{0, 1, 2, 3}, CpuList{4, 5, 7}, CpuList{8, 9}));
  EXPECT_THAT(numa_nodes(dir.path("none")), IsEmpty());
}

}  // namespace
}  // namespace skald
