#include "base/paging.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace skald {
namespace {

void* at(std::span<const std::byte> bytes) { return const_cast<std::byte*>(bytes.data()); }

// Of the whole pages within `bytes`, as far as the system follows it. As parts of huge pages of a file's, pages come with
// their neighbours.
void advise(std::span<const std::byte> bytes, int advice) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)), begin = reinterpret_cast<uintptr_t>(bytes.data()),
             first = (begin + page - 1) / page * page, last = (begin + bytes.size()) / page * page;
  if (first >= last) return;
  void* pages = reinterpret_cast<void*>(first);
  madvise(pages, last - first, MADV_NOHUGEPAGE);
  madvise(pages, last - first, advice);
}

}  // namespace

void give_back(std::span<const std::byte> bytes) { advise(bytes, MADV_DONTNEED); }

void expect_single_pages(std::span<const std::byte> bytes) { advise(bytes, MADV_RANDOM); }

void expect_reading_through(std::span<const std::byte> bytes) { madvise(at(bytes), bytes.size(), MADV_SEQUENTIAL); }

// File systems that cache in large folios (ext4 and XFS of new kernels) read whole huge pages then; others ignore it.
void want_huge_pages(std::span<const std::byte> bytes) { madvise(at(bytes), bytes.size(), MADV_HUGEPAGE); }

// Linux 5.14 has it.
bool get_pages(std::span<std::byte> bytes) { return madvise(at(bytes), bytes.size(), MADV_POPULATE_WRITE) == 0; }

}  // namespace skald
