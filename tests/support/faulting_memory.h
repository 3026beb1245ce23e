// FaultingMemory: memory of a device that no host may follow: its addresses fault but while a program of the device runs.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "kernels/gpu/host/address_space.h"
#include "tensor/device_memory.h"

namespace skald::test {

/// Of one thread, and whichever threads its programs use. Copies must lie within a buffer.
class FaultingMemory : public DeviceMemory {
 public:
  std::unique_ptr<DeviceBuffer> allocate(int64_t bytes) override {
    std::byte* const data = space_.allocate(bytes);
    if (!data) fail(Errc::kNoMemory, "cannot allocate {} bytes of the device's memory", bytes);
    return std::make_unique<Part>(space_, data, bytes);
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
  class Open : public simt::host::AddressSpace::Open {
   public:
    explicit Open(FaultingMemory& memory) : simt::host::AddressSpace::Open(memory.space_) {}
  };

  /// Bytes of all buffers.
  int64_t held() const { return space_.used(); }
  /// Bytes that came to the host and from it.
  int64_t bytes_read() const { return read_; }
  int64_t bytes_written() const { return written_; }

 private:
  class Part : public DeviceBuffer {
   public:
    Part(simt::host::AddressSpace& space, std::byte* data, int64_t bytes) : space_(space), data_(data), bytes_(bytes) {}
    ~Part() override { space_.release(data_); }
    std::byte* data() const override { return data_; }
    int64_t size() const override { return bytes_; }

   private:
    simt::host::AddressSpace& space_;
    std::byte* data_;
    int64_t bytes_;
  };

  std::byte* seen(const std::byte* at, int64_t bytes) const { return space_.for_copies(at, bytes); }

  simt::host::AddressSpace space_{int64_t{1} << 30, true};  // of addresses: only what is touched takes memory
  int64_t read_ = 0, written_ = 0;
};

/// A memory that kernels of a device read.
class DeviceLike : public FaultingMemory {
 public:
  bool of_device() const override { return true; }
};

}  // namespace skald::test
