#include "tools/report/npy.h"

#include "base/error.h"
#include "io/output_file.h"

namespace skald {

void write_npy(const std::string& path, std::span<const float> values, int64_t rows, int64_t cols) {
  SKALD_ASSERT(static_cast<int64_t>(values.size()) == rows * cols);
  std::string header = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, cols);
  header.append(63 - (header.size() + 10) % 64, ' ').push_back('\n');  // data begins on a multiple of 64
  const auto size = static_cast<uint16_t>(header.size());
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(size & 0xff);
  head += static_cast<char>(size >> 8);
  OutputFile out(path);
  out.write(std::as_bytes(std::span(head)));
  out.write(std::as_bytes(std::span(header)));
  out.write(std::as_bytes(values));
  out.commit();
}

}  // namespace skald
