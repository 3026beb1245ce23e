// The limits of the attention kernel, for those who launch it.
#pragma once

namespace skald::gpu {

inline constexpr int kMaxKeyColumns = 640, kMaxValueColumns = 512;  // of a head

}  // namespace skald::gpu
