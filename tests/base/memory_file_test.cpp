// Files in memory, mapped twice.
#include "base/memory_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/descriptor.h"

namespace skald {
namespace {

char* mapped(int file, int64_t bytes) {
  void* const at = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return at == MAP_FAILED ? nullptr : static_cast<char*>(at);
}

TEST(MemoryFile, IsTheSameWhereverItIsMapped) {
  const int64_t page = sysconf(_SC_PAGESIZE), bytes = 4 * page;
  const Descriptor file(make_memory_file()), other(make_memory_file());
  ASSERT_GE(file.get(), 0);
  ASSERT_GE(other.get(), 0);
  ASSERT_EQ(ftruncate(file.get(), bytes), 0);
  ASSERT_EQ(ftruncate(other.get(), bytes), 0);
  char *const one = mapped(file.get(), bytes), *const two = mapped(file.get(), bytes),
              *const none = mapped(other.get(), bytes);
  ASSERT_TRUE(one && two && none);
  one[page] = 1;
  one[2 * page] = 2;
  EXPECT_EQ(two[page], 1);
  EXPECT_EQ(none[page], 0);
  empty_pages(file.get(), page, page);
  EXPECT_EQ(one[page], 0);
  EXPECT_EQ(two[page], 0);
  EXPECT_EQ(two[2 * page], 2) << "a page that was not named";
  for (char* at : {one, two, none}) munmap(at, static_cast<size_t>(bytes));
}

TEST(MemoryFile, IsClosedInProgramsThatAreStarted) {
  const Descriptor file(make_memory_file());
  EXPECT_TRUE(fcntl(file.get(), F_GETFD) & FD_CLOEXEC);
}

}  // namespace
}  // namespace skald
