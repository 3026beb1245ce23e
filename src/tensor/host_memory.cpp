#include <cstring>

#include "tensor/buffer.h"
#include "tensor/device_memory.h"

namespace skald {
namespace {

class HostBuffer : public DeviceBuffer {
 public:
  explicit HostBuffer(int64_t bytes) : buffer_(bytes) {}
  std::byte* data() const override { return buffer_.data(); }
  int64_t size() const override { return buffer_.size(); }

 private:
  Buffer buffer_;
};

class HostMemory : public DeviceMemory {
 public:
  std::unique_ptr<DeviceBuffer> allocate(int64_t bytes) override { return std::make_unique<HostBuffer>(bytes); }
  void copy(std::byte* to, const std::byte* from, int64_t bytes) override {
    std::memcpy(to, from, static_cast<size_t>(bytes));
  }
  void clear(std::byte* at, int64_t bytes) override { std::memset(at, 0, static_cast<size_t>(bytes)); }
  void read(std::byte* host, const std::byte* from, int64_t bytes) override { copy(host, from, bytes); }
  void write(std::byte* to, const std::byte* host, int64_t bytes) override { copy(to, host, bytes); }
  bool host_visible() const override { return true; }
};

}  // namespace

DeviceMemory& host_memory() {
  static HostMemory memory;  // has no state
  return memory;
}

}  // namespace skald
