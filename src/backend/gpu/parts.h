// Parts of pieces of memory that fit into a buffer between the host and a device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "tensor/device_memory.h"

namespace skald::gpu {

/// Calls stage(part, offset in the buffer) for parts that together are the pieces, and flush() where the buffer of this many
/// bytes is full, and at the end. A part's copies lie in the buffer one after another.
template <class Stage, class Flush>
void for_each_part(std::span<const DeviceMemory::Piece> pieces, int64_t room, Stage stage, Flush flush) {
  int64_t used = 0;
  const auto empty = [&] {
    flush();
    used = 0;
  };
  for (const DeviceMemory::Piece& p : pieces) {
    const bool whole = p.bytes <= room;  // a copy is one part, or more
    int64_t skipped = 0;                 // of the copy
    for (int64_t i = 0; i < p.count && p.bytes > 0;) {
      if (room - used < (whole ? p.bytes : 1)) empty();
      const int64_t bytes = std::min(p.bytes - skipped, room - used);
      const int64_t n = whole ? std::min(p.count - i, (room - used) / bytes) : 1;
      stage(DeviceMemory::Piece{p.to + i * p.to_step + skipped, p.from + i * p.from_step + skipped, bytes, n, p.to_step,
                                p.from_step},
            used);
      used += n * bytes;
      skipped += bytes;
      if (skipped < p.bytes) continue;
      skipped = 0;
      i += n;
    }
  }
  empty();
}

}  // namespace skald::gpu
