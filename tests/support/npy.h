// Reading NumPy's .npy files of golden data: little-endian float32 matrices, format version 1.0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace skald::test {

struct Matrix {
  int64_t rows = 0, cols = 0;
  std::vector<float> values;  // (rows, cols)

  std::span<const float> row(int64_t r) const {
    return std::span(values).subspan(static_cast<size_t>(r * cols), static_cast<size_t>(cols));
  }
};

/// Throws std::runtime_error naming the path for anything but such a matrix.
inline Matrix read_npy(const std::filesystem::path& path) {
  const auto wrong = [&](const char* what) { return std::runtime_error(path.string() + ": " + what); };
  std::ifstream in(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  if (bytes.size() < 10 || bytes.compare(0, 8, "\x93NUMPY\x01\x00", 8) != 0) throw wrong("not an .npy file of version 1.0");
  const size_t header_size = static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
  if (bytes.size() < 10 + header_size) throw wrong("the header is cut short");
  const std::string header = bytes.substr(10, header_size);
  if (header.find("'<f4'") == std::string::npos || header.find("'fortran_order': False") == std::string::npos)
    throw wrong("want row-major float32");
  Matrix m;
  long long rows = 0, cols = 0;
  if (std::sscanf(header.c_str() + std::min(header.find("'shape':"), header.size()), "'shape': (%lld, %lld)", &rows,
                  &cols) != 2)
    throw wrong("want two dimensions");
  m.rows = rows;
  m.cols = cols;
  if (rows < 0 || cols < 0 || bytes.size() - 10 - header_size != static_cast<size_t>(rows * cols) * sizeof(float))
    throw wrong("the data does not fit the shape");
  m.values.resize(static_cast<size_t>(rows * cols));
  std::memcpy(m.values.data(), bytes.data() + 10 + header_size, m.values.size() * sizeof(float));
  return m;
}

}  // namespace skald::test
