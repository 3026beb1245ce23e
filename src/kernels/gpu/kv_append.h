// The limit of the kernel that stores keys and values, for those who launch it.
#pragma once

namespace skald::gpu {

inline constexpr int kMaxAppendedColumns = 1024;  // of a head

}  // namespace skald::gpu
