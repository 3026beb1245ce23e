// How many blocks choose keys, each in memory of its own, for those who launch the kernel.
#pragma once

#include <cstdint>

namespace skald::gpu {

inline constexpr int64_t kMostChoosingBlocks = 128;

}  // namespace skald::gpu
