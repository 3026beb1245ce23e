// NumPy's .npy files: float32 matrices. Format: numpy.lib.format, version 1.0.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace skald {

/// Writes (rows, cols) row-major float32. Throws kDevice naming the path.
void write_npy(const std::string& path, std::span<const float> values, int64_t rows, int64_t cols);

}  // namespace skald
