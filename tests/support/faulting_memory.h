// FaultingMemory: memory of a device that no host may follow: its addresses fault but while a program of the device runs.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>

#include "base/checked.h"
#include "base/error.h"
#include "tensor/device_memory.h"

namespace skald::test {

/// Of one thread, and whichever threads its programs use.
class FaultingMemory : public DeviceMemory {
 public:
  std::unique_ptr<DeviceBuffer> allocate(int64_t bytes) override {
    auto buffer = std::make_unique<Mapped>(*this, bytes);
    buffers_[buffer->data()] = buffer.get();
    return buffer;
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
    for (const auto& [at, buffer] : buffers_) sum += buffer->size();
    return sum;
  }
  /// Bytes that came to the host and from it.
  int64_t bytes_read() const { return read_; }
  int64_t bytes_written() const { return written_; }

 private:
  /// Pages of memory at two addresses: the device's and one for copies.
  class Mapped : public DeviceBuffer {
   public:
    Mapped(FaultingMemory& memory, int64_t bytes)
        : memory_(memory), bytes_(bytes), mapped_(round_up(std::max<int64_t>(bytes, 1), 4096)) {
      const int file = memfd_create("device", MFD_CLOEXEC);
      if (file >= 0 && ftruncate(file, mapped_) == 0) {
        device_ = map(file, PROT_NONE);
        host_ = map(file, PROT_READ | PROT_WRITE);
      }
      close(file);
      if (device_ && host_) return;
      unmap();
      fail(Errc::kNoMemory, "cannot allocate {} bytes of the device's memory", bytes);
    }
    ~Mapped() override {
      memory_.buffers_.erase(device_);
      unmap();
    }
    std::byte* data() const override { return device_; }
    int64_t size() const override { return bytes_; }
    std::byte* host() const { return host_; }
    void protect(int how) const { SKALD_ASSERT(mprotect(device_, static_cast<size_t>(mapped_), how) == 0); }

   private:
    std::byte* map(int file, int how) const {
      void* at = mmap(nullptr, static_cast<size_t>(mapped_), how, MAP_SHARED, file, 0);
      return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
    }
    void unmap() {
      for (std::byte* at : {device_, host_})
        if (at) munmap(at, static_cast<size_t>(mapped_));
    }

    FaultingMemory& memory_;
    int64_t bytes_, mapped_;
    std::byte *device_ = nullptr, *host_ = nullptr;
  };

  void protect(int how) {
    for (const auto& [at, buffer] : buffers_) buffer->protect(how);
  }

  // The address for copies, of bytes that lie in one buffer.
  std::byte* seen(const std::byte* at, int64_t bytes) const {
    const auto behind = buffers_.upper_bound(at);
    SKALD_ASSERT(behind != buffers_.begin());
    const Mapped& buffer = *std::prev(behind)->second;
    const int64_t offset = at - buffer.data();
    SKALD_ASSERT(bytes >= 0 && offset + bytes <= buffer.size());
    return buffer.host() + offset;
  }

  std::map<const std::byte*, const Mapped*> buffers_;  // by the device's addresses
  int64_t read_ = 0, written_ = 0;
};

}  // namespace skald::test
