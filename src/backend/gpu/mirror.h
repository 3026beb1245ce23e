// Mirror: bytes of the device that the host has too. Only what changes is brought.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backend/gpu/memory.h"

namespace skald::gpu {

class Mirror {
 public:
  /// Zeroed on both sides.
  Mirror(Device& device, int64_t bytes)
      : device_(device), memory_(device, bytes, Use::kWork), pinned_(device, bytes), bytes_(bytes) {}

  /// Puts these bytes at an offset of the host's side. Between two calls of bring(), offsets rise.
  void put(int64_t at, const void* data, int64_t bytes);
  /// Copies what has changed, mostly at once; it stays as it is until the device was waited for.
  void bring();
  /// An address of the device.
  std::byte* at(int64_t offset) const { return memory_.data() + offset; }

 private:
  struct Range {
    int64_t begin, end;
  };
  Device& device_;
  GpuBuffer memory_;
  PinnedBuffer pinned_;
  int64_t bytes_;
  std::vector<Range> changed_;
};

}  // namespace skald::gpu
