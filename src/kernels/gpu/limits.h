// How the kernels work that measure a device's limits, and what they are given.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skald::gpu {

inline constexpr int kLimitThreads = 256;  // of a block
inline constexpr int kLimitProducts = 8;   // of a warp in each step, none of which waits for another one

/// Pieces of 16 bytes to be read, for a measure.
struct ReadBytesArgs {
  const std::byte* data = nullptr;
  int64_t pieces = 0;
  uint32_t* out = nullptr;  // (threads of all blocks)
};

/// Products of fragments, for a measure.
struct MultiplyArgs {
  int64_t steps = 0;
  uint32_t word = 0;     // that fragments are full of
  float* out = nullptr;  // (threads of all blocks)
};

}  // namespace skald::gpu
