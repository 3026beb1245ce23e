// GpuMemory: what lives in a device's memory longer than a step; and pieces of it for the backend itself.
#pragma once

#include <memory>

#include "backend/gpu/device.h"
#include "tensor/device_memory.h"

namespace skald::gpu {

/// Bytes of one of them.
template <class T>
inline constexpr auto kBytesOf = static_cast<int64_t>(sizeof(T));

/// One piece, given back at its end. The device must outlive it.
class GpuBuffer : public DeviceBuffer {
 public:
  GpuBuffer(Device& device, int64_t bytes, Use use) : device_(device), data_(device.allocate(bytes, use)), bytes_(bytes) {}
  ~GpuBuffer() override { device_.release(data_); }
  GpuBuffer(const GpuBuffer&) = delete;
  GpuBuffer& operator=(const GpuBuffer&) = delete;
  std::byte* data() const override { return data_; }
  int64_t size() const override { return bytes_; }

 private:
  Device& device_;
  std::byte* data_;
  int64_t bytes_;
};

/// Memory of the host that the device copies from by itself, given back at its end. The device must outlive it.
class PinnedBuffer {
 public:
  PinnedBuffer(Device& device, int64_t bytes) : device_(device), data_(device.allocate_pinned(bytes)) {}
  ~PinnedBuffer() { device_.release_pinned(data_); }
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  std::byte* data() const { return data_; }

 private:
  Device& device_;
  std::byte* data_;
};

class GpuMemory : public DeviceMemory {
 public:
  explicit GpuMemory(Device& device) : device_(device) {}
  std::unique_ptr<DeviceBuffer> allocate(int64_t bytes) override {
    return std::make_unique<GpuBuffer>(device_, bytes, Use::kState);
  }
  void copy(std::byte* to, const std::byte* from, int64_t bytes) override { device_.copy(to, from, bytes); }
  void clear(std::byte* at, int64_t bytes) override { device_.clear(at, bytes); }
  void read(std::byte* host, const std::byte* from, int64_t bytes) override { device_.read(host, from, bytes); }
  void write(std::byte* to, const std::byte* host, int64_t bytes) override { device_.write(to, host, bytes); }
  void copy_all(std::span<const Piece> pieces) override { device_.copy_all(pieces); }
  void read_all(std::span<const Piece> pieces) override { device_.read_all(pieces); }
  void write_all(std::span<const Piece> pieces) override { device_.write_all(pieces); }
  bool host_visible() const override { return false; }
  bool of_device() const override { return true; }

 private:
  Device& device_;
};

}  // namespace skald::gpu
