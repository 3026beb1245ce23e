// NumPy's .npy files of float32, read. Format: numpy.lib.format, versions 1.0 to 3.0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skald {

struct NpyFloats {
  std::vector<int64_t> shape;
  std::vector<float> values;  // in C order
};

/// Throws kNotFound or kBadFile naming the file and its fault. Such are another type or order, a shape of more than two
/// dimensions, and a size that is not the shape's.
NpyFloats read_npy(const std::string& path);

}  // namespace skald
