// Pieces of a device's memory, collected for one call that reads or writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/device_memory.h"

namespace skald {

/// Pieces of one size in a device's memory, each a step after the one before.
struct Strip {
  std::byte* at;
  int64_t bytes;  // of a piece
  int64_t count = 1, step = 0;

  int64_t size() const { return bytes * count; }
};

/// Takes the first n elements off the span.
template <class Span>
Span take_first(Span& from, int64_t n) {
  const Span out = from.first(static_cast<size_t>(n));
  from = from.subspan(static_cast<size_t>(n));
  return out;
}

/// Collects pieces to read.
class ReadPieces {
 public:
  /// The strip's pieces go to `to`, one after the other; or each a step after the one before.
  void add(std::span<std::byte> to, const Strip& from) { add(to.data(), from.bytes, from); }
  void add(std::byte* to, int64_t step, const Strip& from) {
    pieces_.push_back({to, from.at, from.bytes, from.count, step, from.step});
  }
  /// Reads them and has none.
  void read(DeviceMemory& memory) {
    memory.read_all(pieces_);
    pieces_.clear();
  }

 private:
  std::vector<DeviceMemory::Piece> pieces_;
};

/// Collects pieces to write.
class WritePieces {
 public:
  /// As ReadPieces::add, from there.
  void add(std::span<const std::byte> from, const Strip& to) { add(from.data(), to.bytes, to); }
  void add(const std::byte* from, int64_t step, const Strip& to) {
    pieces_.push_back({to.at, from, to.bytes, to.count, to.step, step});
  }
  /// Writes them and has none.
  void write(DeviceMemory& memory) {
    memory.write_all(pieces_);
    pieces_.clear();
  }

 private:
  std::vector<DeviceMemory::Piece> pieces_;
};

}  // namespace skald
