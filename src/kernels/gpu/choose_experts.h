// The limit of the kernel that chooses experts, for those who launch it.
#pragma once

namespace skald::gpu {

inline constexpr int kMaxExpertGroups = 256;

}  // namespace skald::gpu
