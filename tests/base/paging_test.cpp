// Hints about pages: their bytes stay what they are.
#include "base/paging.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "base/mapped_file.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

constexpr size_t kBytes = size_t{4} << 20;

TEST(GiveBack, LeavesTheBytesOfAFile) {
  const test::TempDir dir;
  const FileBytes file = FileBytes::open(dir.write("file", std::string(kBytes, 'x')), FileBytes::How::kMap);
  expect_single_pages(file.bytes());
  give_back(file.bytes());
  give_back(file.bytes().subspan(1, 100));  // no whole page
  for (size_t at = 0; at < kBytes; at += 1000) ASSERT_EQ(static_cast<char>(file.bytes()[at]), 'x');
}

TEST(GetPages, GivesPagesThatCanBeWrittenToOrSaysNo) {
  void* const at = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(at, MAP_FAILED);
  const std::span<std::byte> bytes(static_cast<std::byte*>(at), kBytes);
  want_huge_pages(bytes);
  get_pages(bytes);
  EXPECT_EQ(bytes[kBytes / 2], std::byte{0});
  std::memset(at, 1, kBytes);
  expect_reading_through(bytes);
  EXPECT_EQ(bytes[kBytes - 1], std::byte{1});
  munmap(at, kBytes);
}

}  // namespace
}  // namespace skald
