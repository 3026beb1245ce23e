#include "tensor/buffer.h"

#include <sys/mman.h>

#include <utility>

#include "base/error.h"

namespace skald {

constexpr int64_t kHugePage = int64_t{2} << 20;

Buffer::Buffer(int64_t bytes) : size_(bytes) {
  SKALD_ASSERT(bytes >= 0);
  if (bytes == 0) return;
  void* p = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) fail(Errc::kNoMemory, "no memory for {} bytes", bytes);
  if (bytes >= kHugePage) madvise(p, static_cast<size_t>(bytes), MADV_HUGEPAGE);
  data_ = static_cast<std::byte*>(p);
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
