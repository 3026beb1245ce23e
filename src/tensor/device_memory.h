// DeviceMemory: where a device keeps what lives longer than a step: pages of the KV cache, recurrent states, logits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace skald {

/// One piece of it, given back at its end.
class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;
  /// An address of the device: only where the memory is host_visible() may the host follow it.
  virtual std::byte* data() const = 0;
  virtual int64_t size() const = 0;
};

/// All that it does is in order with the device's steps and with itself, as if each call ended before the next one begins. A
/// device may do it later, in this order: `read` then waits for what was written before, by steps too. A page that is taken
/// again is written after all reads of it. The host's bytes are the caller's again when a call returns.
class DeviceMemory {
 public:
  /// Copies of one size, each a step after the one before.
  struct Piece {
    std::byte* to;
    const std::byte* from;
    int64_t bytes;
    int64_t count = 1, to_step = 0, from_step = 0;
  };

  virtual ~DeviceMemory() = default;
  /// Zeroed. Throws kNoMemory saying how much was wanted.
  virtual std::unique_ptr<DeviceBuffer> allocate(int64_t bytes) = 0;
  /// Within the device; the pieces do not overlap.
  virtual void copy(std::byte* to, const std::byte* from, int64_t bytes) = 0;
  virtual void clear(std::byte* at, int64_t bytes) = 0;
  virtual void read(std::byte* host, const std::byte* from, int64_t bytes) = 0;
  virtual void write(std::byte* to, const std::byte* host, int64_t bytes) = 0;
  /// As one call for each copy, in any order: none overlaps another one.
  virtual void copy_all(std::span<const Piece> pieces);
  virtual void read_all(std::span<const Piece> pieces);
  virtual void write_all(std::span<const Piece> pieces);
  virtual bool host_visible() const = 0;
  /// Several processes that have different bytes at the same addresses: all of them follow copies and writes, and only the
  /// first one's are read. Each alone is a memory of its own, in which nothing is allocated or copied.
  virtual size_t shards() const { return 1; }
  virtual DeviceMemory& shard(size_t) { return *this; }
  /// Whether kernels of a device read it, which load whole keys, and codes of blocks apart from their scales.
  virtual bool of_device() const { return false; }
};

/// Calls copy(to, from, bytes) for each copy of the pieces.
template <class Copy>
void for_each_copy(std::span<const DeviceMemory::Piece> pieces, Copy copy) {
  for (const DeviceMemory::Piece& p : pieces)
    for (int64_t i = 0; i < p.count; ++i) copy(p.to + i * p.to_step, p.from + i * p.from_step, p.bytes);
}

/// Counts the bytes of all copies.
inline int64_t bytes_of(std::span<const DeviceMemory::Piece> pieces) {
  int64_t sum = 0;
  for (const DeviceMemory::Piece& p : pieces) sum += p.bytes * p.count;
  return sum;
}

/// The host's own.
DeviceMemory& host_memory();

}  // namespace skald
