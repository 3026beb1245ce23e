// How the kernels work that measure a device's limits.
#pragma once

namespace skald::gpu {

inline constexpr int kLimitThreads = 256;  // of a block
inline constexpr int kLimitProducts = 8;   // of a warp in each step, none of which waits for another one

}  // namespace skald::gpu
