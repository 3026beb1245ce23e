// The hints that POSIX knows.
#include "base/paging.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace skald {
namespace {

void advise(std::span<const std::byte> bytes, int advice) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)), begin = reinterpret_cast<uintptr_t>(bytes.data()),
             first = (begin + page - 1) / page * page, last = (begin + bytes.size()) / page * page;
  if (first < last) posix_madvise(reinterpret_cast<void*>(first), last - first, advice);
}

}  // namespace

void give_back(std::span<const std::byte> bytes) { advise(bytes, POSIX_MADV_DONTNEED); }
void expect_single_pages(std::span<const std::byte> bytes) { advise(bytes, POSIX_MADV_RANDOM); }
void expect_reading_through(std::span<const std::byte> bytes) { advise(bytes, POSIX_MADV_SEQUENTIAL); }
void want_huge_pages(std::span<const std::byte>) {}
bool get_pages(std::span<std::byte>) { return false; }

}  // namespace skald
