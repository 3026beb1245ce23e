// Limits of control groups, in made-up file systems of both versions.
#include "base/cgroup_memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/temp_dir.h"

namespace skald::cgroup_memory_test {
namespace {

class CgroupMemory : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(dir_.path(path)).parent_path());
    dir_.write(path, text);
  }
  std::optional<int64_t> room() const { return cgroup_room(dir_.path("")); }

  // The groups of one process, and the mounts.
  void mount(const std::string& cgroup, const std::string& mountinfo) const {
    put("proc/self/cgroup", cgroup);
    put("proc/self/mountinfo", mountinfo);
  }
  void mount_version_2(const std::string& group) const {
    mount("0::" + group + "\n",
          "25 1 0:22 / /proc rw - proc proc rw\n30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n");
  }

  test::TempDir dir_;
};

TEST_F(CgroupMemory, HasNoLimitWithoutGroups) { EXPECT_EQ(room(), std::nullopt); }

TEST_F(CgroupMemory, OfVersion2IsWhatTheLimitLeaves) {
  mount_version_2("/a/b");
  put("sys/fs/cgroup/a/b/memory.max", "max\n");
  put("sys/fs/cgroup/a/b/memory.current", "500\n");
  EXPECT_EQ(room(), std::nullopt);
  put("sys/fs/cgroup/a/b/memory.max", "8000\n");
  EXPECT_EQ(room(), 7500);
  put("sys/fs/cgroup/a/b/memory.stat", "anon 100\nfile 400\nactive_file 150\ninactive_file 250\nslab 9\n");
  EXPECT_EQ(room(), 7900);
  put("sys/fs/cgroup/a/b/memory.current", "9000\n");
  put("sys/fs/cgroup/a/b/memory.stat", "");
  EXPECT_EQ(room(), 0);
}

TEST_F(CgroupMemory, IsTheLeastOfAllGroupsAbove) {
  mount_version_2("/a/b");
  for (const auto& [folder, limit] : {std::pair{"", "3000"}, {"a/", "1000"}, {"a/b/", "2000"}}) {
    put(std::string("sys/fs/cgroup/") + folder + "memory.max", limit);
    put(std::string("sys/fs/cgroup/") + folder + "memory.current", "10");
  }
  EXPECT_EQ(room(), 990);
  put("sys/fs/cgroup/memory.max", "500");
  EXPECT_EQ(room(), 490);
}

TEST_F(CgroupMemory, OfVersion1IsThatOfItsMemoryController) {
  mount("5:cpu,cpuacct:/x\n4:memory:/docker/abc\n0::/\n",
        "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
        "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  put("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n");
  put("sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "4096\n");
  EXPECT_EQ(room(), std::nullopt);
  put("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "100000\n");
  put("sys/fs/cgroup/memory/docker/abc/memory.stat", "inactive_file 1\ntotal_inactive_file 1000\ntotal_active_file 96\n");
  EXPECT_EQ(room(), 97000);
}

// In a container the group's own folder is mounted, under a path that the process's does not know.
TEST_F(CgroupMemory, IsFoundWhereThePartOfAContainerIsMounted) {
  mount("0::/docker/abc\n", "30 23 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  put("sys/fs/cgroup/memory.max", "8000\n");
  put("sys/fs/cgroup/memory.current", "1000\n");
  EXPECT_EQ(room(), 7000);
  mount("0::/elsewhere/abc\n", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  EXPECT_EQ(room(), 7000);
}

TEST_F(CgroupMemory, WhoseFilesAreNoNumbersHasNoLimit) {
  mount_version_2("/");
  put("sys/fs/cgroup/memory.max", "lots\n");
  put("sys/fs/cgroup/memory.current", "1\n");
  EXPECT_EQ(room(), std::nullopt);
  mount("nonsense\n::\n", "1 2\n- - -\n- cgroup2 x\n");
  EXPECT_EQ(room(), std::nullopt);
}

}  // namespace
}  // namespace skald::cgroup_memory_test
