// Decoders against tests/data/quant, which tools/quant_vectors.py made with the gguf Python package: bit for bit; and that
// any bytes can be decoded.
#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "quant/registry.h"
#include "tests/support/guarded.h"
#include "tests/support/paths.h"

namespace skald {
namespace {

constexpr int64_t kElements = 1024;  // of a file: their blocks, then as many floats

std::vector<char> bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Decode : public testing::TestWithParam<const Format*> {};

TEST_P(Decode, GivesTheBitsOfTheReference) {
  const Format& format = *GetParam();
  const std::vector<char> file = bytes_of(test::data_dir() / "quant" / (std::string(format.name) + ".bin"));
  ASSERT_EQ(std::ssize(file), format.bytes(kElements) + kElements * 4);
  test::Guarded<float> got(kElements);
  format.decode(file.data(), got.data(), kElements);
  EXPECT_TRUE(got.intact());
  for (int64_t i = 0; i < kElements; ++i) {
    uint32_t want;
    std::memcpy(&want, file.data() + format.bytes(kElements) + i * 4, sizeof want);
    ASSERT_EQ(std::bit_cast<uint32_t>(got.data()[i]), want)
        << "element " << i << ": " << got.data()[i] << ", not " << std::bit_cast<float>(want);
  }
}

// Indices into grids and levels stay within them, for any bits.
TEST_P(Decode, TakesAnyBytes) {
  const Format& format = *GetParam();
  std::mt19937_64 random(1);
  std::vector<std::byte> blocks(static_cast<size_t>(format.bytes(kElements)));
  test::Guarded<float> x(kElements);
  for (int round = 0; round < 100; ++round) {
    for (std::byte& b : blocks) b = round < 2 ? static_cast<std::byte>(-round) : static_cast<std::byte>(random());
    format.decode(blocks.data(), x.data(), kElements);
    ASSERT_TRUE(x.intact());
  }
}

std::vector<const Format*> block_formats() {
  std::vector<const Format*> out;
  for (const Format* f : formats())
    if (f->block > 1) out.push_back(f);
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, Decode, testing::ValuesIn(block_formats()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace skald
