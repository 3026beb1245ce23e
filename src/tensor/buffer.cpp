#include "tensor/buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "base/error.h"
#include "base/paging.h"

namespace skald {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

// nullptr where there is no memory; so for the next one.
std::byte* map_pages(size_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? nullptr : static_cast<std::byte*>(pages);
}

// Begins where a huge page does: what lies before the first boundary or after the last has small pages, so that a mapping
// of few huge pages that begins anywhere loses one.
std::byte* map_huge_pages(size_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t taken = (bytes + page - 1) / page * page, all = taken + kHugePage;
  std::byte* pages = map_pages(all);
  if (!pages) return nullptr;
  const size_t before = -reinterpret_cast<uintptr_t>(pages) % kHugePage;
  if (before) munmap(pages, before);
  munmap(pages + before + taken, all - before - taken);
  want_huge_pages({pages + before, taken});
  return pages + before;
}

}  // namespace

Buffer::Buffer(int64_t bytes) : size_(bytes) {
  SKALD_ASSERT(bytes >= 0);
  if (bytes == 0) return;
  const auto size = static_cast<size_t>(bytes);
  data_ = size >= kHugePage ? map_huge_pages(size) : map_pages(size);
  if (!data_) fail(Errc::kNoMemory, "no memory for {} bytes", bytes);
}

Buffer::Buffer(Buffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Buffer::~Buffer() {
  if (data_) munmap(data_, static_cast<size_t>(size_));
}

}  // namespace skald
