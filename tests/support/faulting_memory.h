// FaultingMemory: memory of a device that no host may follow: its addresses fault but while a program of the device runs.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>

#include "base/checked.h"
#include "base/error.h"
#include "tensor/device_memory.h"

namespace skald::test {

/// Of one thread, and whichever threads its programs use. One stretch of memory at two addresses: the device's, which
/// faults, and one for copies, which must lie within a buffer.
class FaultingMemory : public DeviceMemory {
 public:
  FaultingMemory() {
    const int file = memfd_create("device", MFD_CLOEXEC);
    SKALD_ASSERT(file >= 0 && ftruncate(file, kBytes) == 0);
    device_ = map(file, PROT_NONE);
    host_ = map(file, PROT_READ | PROT_WRITE);
    close(file);
  }
  ~FaultingMemory() override {
    munmap(device_, kBytes);
    munmap(host_, kBytes);
  }
  FaultingMemory(const FaultingMemory&) = delete;
  FaultingMemory& operator=(const FaultingMemory&) = delete;

  std::unique_ptr<DeviceBuffer> allocate(int64_t bytes) override {
    int64_t at = 0;  // the first gap that is large enough
    for (const auto& [begin, size] : buffers_) {
      if (begin - at >= taken(bytes)) break;
      at = begin + taken(size);
    }
    if (bytes > kBytes || kBytes - at < taken(bytes))
      fail(Errc::kNoMemory, "cannot allocate {} bytes of the device's memory", bytes);
    buffers_[at] = bytes;
    std::memset(host_ + at, 0, static_cast<size_t>(bytes));
    return std::make_unique<Part>(*this, at, bytes);
  }
  void copy(std::byte* to, const std::byte* from, int64_t bytes) override {
    std::memcpy(seen(to, bytes), seen(from, bytes), static_cast<size_t>(bytes));
  }
  void clear(std::byte* at, int64_t bytes) override { std::memset(seen(at, bytes), 0, static_cast<size_t>(bytes)); }
  void read(std::byte* host, const std::byte* from, int64_t bytes) override {
    read_ += bytes;
    std::memcpy(host, seen(from, bytes), static_cast<size_t>(bytes));
  }
  void write(std::byte* to, const std::byte* host, int64_t bytes) override {
    written_ += bytes;
    std::memcpy(seen(to, bytes), host, static_cast<size_t>(bytes));
  }
  bool host_visible() const override { return false; }

  /// Opens the device's addresses for as long as it lives: while a program runs.
  class Open {
   public:
    explicit Open(FaultingMemory& memory) : memory_(memory) { memory_.protect(PROT_READ | PROT_WRITE); }
    ~Open() { memory_.protect(PROT_NONE); }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

   private:
    FaultingMemory& memory_;
  };

  /// Bytes of all buffers.
  int64_t held() const {
    int64_t sum = 0;
    for (const auto& [begin, size] : buffers_) sum += size;
    return sum;
  }
  /// Bytes that came to the host and from it.
  int64_t bytes_read() const { return read_; }
  int64_t bytes_written() const { return written_; }

 private:
  static constexpr int64_t kBytes = int64_t{1} << 30;  // of addresses: only what is touched takes memory

  class Part : public DeviceBuffer {
   public:
    Part(FaultingMemory& memory, int64_t at, int64_t bytes) : memory_(memory), at_(at), bytes_(bytes) {}
    ~Part() override { memory_.buffers_.erase(at_); }
    std::byte* data() const override { return memory_.device_ + at_; }
    int64_t size() const override { return bytes_; }

   private:
    FaultingMemory& memory_;
    int64_t at_, bytes_;
  };

  static std::byte* map(int file, int how) {
    void* at = mmap(nullptr, kBytes, how, MAP_SHARED, file, 0);
    SKALD_ASSERT(at != MAP_FAILED);
    return static_cast<std::byte*>(at);
  }

  // With a gap after it.
  static int64_t taken(int64_t bytes) { return round_up(bytes, 64) + 64; }

  void protect(int how) { SKALD_ASSERT(mprotect(device_, kBytes, how) == 0); }

  // The address for copies.
  std::byte* seen(const std::byte* at, int64_t bytes) const {
    const int64_t from = at - device_;
    const auto after = buffers_.upper_bound(from);
    SKALD_ASSERT(after != buffers_.begin());
    const auto [begin, size] = *std::prev(after);
    SKALD_ASSERT(bytes >= 0 && from + bytes <= begin + size);
    return host_ + from;
  }

  std::byte *device_ = nullptr, *host_ = nullptr;
  std::map<int64_t, int64_t> buffers_;  // bytes, by where they begin
  int64_t read_ = 0, written_ = 0;
};

}  // namespace skald::test
