// The version of the kernels' arithmetic.
#pragma once

namespace skald {

/// To be raised with every kernel whose results change in a bit: pages on disk that were computed before are then not taken
/// up again.
inline constexpr int kNumericsVersion = 1;

}  // namespace skald
