// DeviceMemory: where a device keeps what lives longer than a step: pages of the KV cache, recurrent states, logits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace skald {

/// One piece of it, given back at its end.
class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;
  /// An address of the device: only where the memory is host_visible() may the host follow it.
  virtual std::byte* data() const = 0;
  virtual int64_t size() const = 0;
};

class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  /// Zeroed. Throws kNoMemory saying how much was wanted.
  virtual std::unique_ptr<DeviceBuffer> allocate(int64_t bytes) = 0;
  /// Within the device; the pieces do not overlap.
  virtual void copy(std::byte* to, const std::byte* from, int64_t bytes) = 0;
  virtual void clear(std::byte* at, int64_t bytes) = 0;
  virtual void read(std::byte* host, const std::byte* from, int64_t bytes) = 0;
  virtual void write(std::byte* to, const std::byte* host, int64_t bytes) = 0;
  virtual bool host_visible() const = 0;
};

/// The host's own.
DeviceMemory& host_memory();

}  // namespace skald
