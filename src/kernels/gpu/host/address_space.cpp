#include "kernels/gpu/host/address_space.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory_file.h"
#include "kernels/gpu/host/sanitizers.h"

namespace skald::simt::host {
namespace {

std::byte* map(int file, int64_t bytes, int how) {
  void* at = mmap(nullptr, static_cast<size_t>(bytes), how, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (at == MAP_FAILED) fail(Errc::kNoMemory, "cannot map {} bytes as a device's memory: {}", bytes, std::strerror(errno));
  return static_cast<std::byte*>(at);
}

}  // namespace

AddressSpace::AddressSpace(int64_t bytes, bool writable)
    : bytes_(round_up(bytes, sysconf(_SC_PAGESIZE))), page_(sysconf(_SC_PAGESIZE)), writable_(writable) {
  file_ = make_memory_file();
  if (file_ < 0 || ftruncate(file_, bytes_) != 0)
    fail(Errc::kNoMemory, "cannot make a device's memory of {} bytes: {}", bytes_, std::strerror(errno));
  device_ = map(file_, bytes_, PROT_NONE);
  host_ = map(file_, bytes_, PROT_READ | PROT_WRITE);
}

AddressSpace::~AddressSpace() {
  munmap(device_, static_cast<size_t>(bytes_));
  munmap(host_, static_cast<size_t>(bytes_));
  ::close(file_);
}

// With a page after it whose bytes the address sanitizer guards.
int64_t AddressSpace::taken(int64_t bytes) const { return round_up(bytes, page_) + page_; }

std::byte* AddressSpace::allocate(int64_t bytes) {
  int64_t at = 0;  // the first gap that is large enough
  for (const auto& [begin, size] : pieces_) {
    if (begin - at >= taken(bytes)) break;
    at = begin + taken(size);
  }
  if (bytes > bytes_ || bytes_ - at < taken(bytes)) return nullptr;
  pieces_[at] = bytes;
  used_ += bytes;
  sanitizers::permit(device_ + at, static_cast<size_t>(bytes));
  sanitizers::forbid(device_ + at + bytes, static_cast<size_t>(taken(bytes) - bytes));
  return device_ + at;
}

// The pages go back to the system, and are zeros when they are touched again.
void AddressSpace::release(const std::byte* data) {
  const auto at = pieces_.find(data - device_);
  SKALD_ASSERT(at != pieces_.end());
  const int64_t bytes = taken(at->second);
  empty_pages(file_, at->first, bytes);
  sanitizers::permit(data, static_cast<size_t>(bytes));
  used_ -= at->second;
  pieces_.erase(at);
}

std::byte* AddressSpace::for_copies(const std::byte* at, int64_t bytes) const {
  const int64_t from = at - device_;
  const auto after = pieces_.upper_bound(from);
  SKALD_ASSERT(after != pieces_.begin());
  const auto [begin, size] = *std::prev(after);
  SKALD_ASSERT(bytes >= 0 && from + bytes <= begin + size);
  return host_ + from;
}

void AddressSpace::protect(bool open) {
  const int how = !open ? PROT_NONE : writable_ ? PROT_READ | PROT_WRITE : PROT_READ;
  SKALD_ASSERT(mprotect(device_, static_cast<size_t>(bytes_), how) == 0);
}

}  // namespace skald::simt::host
