// The version of the kernels' arithmetic.
#pragma once

namespace skald {

/// To be raised with every kernel whose results change in a bit: what was computed before, and is kept on disk, is then not
/// taken up again.
inline constexpr int kNumericsVersion = 1;

}  // namespace skald
