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

class HostMemory final : public DeviceMemory {
 public:
  std::unique_ptr<DeviceBuffer> allocate(int64_t bytes) override { return std::make_unique<HostBuffer>(bytes); }
  void copy(std::byte* to, const std::byte* from, int64_t bytes) override {
    std::memcpy(to, from, static_cast<size_t>(bytes));
  }
  void clear(std::byte* at, int64_t bytes) override { std::memset(at, 0, static_cast<size_t>(bytes)); }
  void read(std::byte* host, const std::byte* from, int64_t bytes) override { copy(host, from, bytes); }
  void write(std::byte* to, const std::byte* host, int64_t bytes) override { copy(to, host, bytes); }
  void copy_all(std::span<const Piece> pieces) override { copy_pieces(pieces); }
  void read_all(std::span<const Piece> pieces) override { copy_pieces(pieces); }
  void write_all(std::span<const Piece> pieces) override { copy_pieces(pieces); }
  bool host_visible() const override { return true; }

 private:
  // A column of an index has 64 codes and one scale of a page: a call takes longer than copies as small as these.
  static void copy_pieces(std::span<const Piece> pieces) {
    for (const Piece& p : pieces) switch (p.bytes) {
        case 64:
          copy_each(p, 64);
          break;
        case sizeof(float):
          copy_each(p, sizeof(float));
          break;
        default:
          copy_each(p, static_cast<size_t>(p.bytes));
      }
  }
  [[gnu::always_inline]] static void copy_each(const Piece& p, size_t bytes) {
    for (int64_t i = 0; i < p.count; ++i) std::memcpy(p.to + i * p.to_step, p.from + i * p.from_step, bytes);
  }
};

}  // namespace

DeviceMemory& host_memory() {
  static HostMemory memory;  // has no state
  return memory;
}

}  // namespace skald
