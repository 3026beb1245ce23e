// What kernels of experts can do.
#pragma once

namespace skald::gpu {

inline constexpr int kMaxExperts = 1024;

}  // namespace skald::gpu
