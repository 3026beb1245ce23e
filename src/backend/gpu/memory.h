// GpuMemory: what lives in a device's memory longer than a step; and pieces of it for the backend itself.
#pragma once

#include <memory>

#include "backend/gpu/device.h"
#include "tensor/device_memory.h"

namespace skald::gpu {

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
  bool host_visible() const override { return false; }

 private:
  Device& device_;
};

}  // namespace skald::gpu
