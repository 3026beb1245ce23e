// The limit of the delta rule's kernel, for those who launch it.
#pragma once

namespace skald::gpu {

inline constexpr int kMaxDeltaKeys = 512;  // rows of a head's state

}  // namespace skald::gpu
