// The limits of the kernel that chooses keys, for those who launch it.
#pragma once

#include <cstdint>

namespace skald::gpu {

inline constexpr int64_t kMostChoosingBlocks = 128;  // each has memory of its own
inline constexpr int kMaxIndexColumns = 256;         // of an indexer's head

}  // namespace skald::gpu
