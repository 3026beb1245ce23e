// .npy files against the format's definition: magic, version, header length, header, data.
#include "tools/report/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Npy, HasNumpysHeaderAndAlignedData) {
  const test::TempDir dir;
  for (const auto& [rows, cols] : {std::pair{1, 1}, {2, 3}, {7, 2048}, {1000, 1}, {0, 5}}) {
    std::vector<float> values(static_cast<size_t>(rows * cols));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) * 0.5f - 1;
    write_npy(dir.path("x.npy"), values, rows, cols);
    const std::string bytes = read(dir.path("x.npy"));
    ASSERT_GE(bytes.size(), 10u);
    EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    const size_t length = static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
    EXPECT_EQ((10 + length) % 64, 0u) << "the data is aligned";
    ASSERT_EQ(bytes.size(), 10 + length + values.size() * sizeof(float));
    const std::string header = bytes.substr(10, length);
    const std::string dict =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " + std::to_string(cols) + "), }";
    EXPECT_EQ(header.substr(0, dict.size()), dict);
    EXPECT_EQ(header.substr(dict.size(), length - dict.size() - 1), std::string(length - dict.size() - 1, ' '));
    EXPECT_EQ(header.back(), '\n');
    if (!values.empty()) {
      EXPECT_EQ(std::memcmp(bytes.data() + 10 + length, values.data(), values.size() * sizeof(float)), 0);
    }
  }
}

TEST(Npy, NamesThePathThatCannotBeWritten) {
  const Error e = test::error_of([] { write_npy("/nonexistent/x.npy", {}, 0, 1); });
  EXPECT_THAT(e.what(), testing::HasSubstr("/nonexistent/x.npy"));
}

}  // namespace
}  // namespace skald
