// Types of file systems, of made-up mounts.
#include "base/file_system.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/temp_dir.h"

namespace skald {
namespace {

TEST(FileSystemOf, IsThatOfTheDeepestMount) {
  const test::TempDir dir;
  std::filesystem::create_directories(dir.path("proc/self"));
  dir.write("proc/self/mountinfo",
            "20 1 8:1 / / rw - ext4 /dev/sda rw\n21 20 0:40 / /inner rw - nfs4 server:/x rw\n"
            "22 20 0:41 / /inner/mod rw - tmpfs x rw\nnonsense\n");
  EXPECT_EQ(file_system_of("/inner/models", dir.path("")), "nfs4");
  EXPECT_EQ(file_system_of("/inner/mod", dir.path("")), "tmpfs");
  EXPECT_EQ(file_system_of("/other", dir.path("")), "ext4");
}

TEST(FileSystemOf, IsUnknownWithoutMounts) {
  const test::TempDir dir;
  EXPECT_EQ(file_system_of("/inner", dir.path("")), "");
}

}  // namespace
}  // namespace skald
