// Thousands of damaged copies of a real file: each parses or throws an Error, for any damage.
#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <vector>

#include "io/gguf.h"
#include "skald/error.h"
#include "tests/support/paths.h"

namespace skald {
namespace {

class GgufHostile : public ::testing::Test {
 protected:
  GgufHostile() {
    const auto path = test::data_dir() / "golden/llama_mha_q8_0/model.gguf";
    const FileBytes file = FileBytes::open(path.string(), FileBytes::How::kRead);
    original_.assign(file.bytes().begin(), file.bytes().end());
    const Gguf parsed = Gguf::parse(original_);
    head_bytes_ = static_cast<size_t>(parsed.tensors().front().data.data() - original_.data());
  }

  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }

  // Parses and touches the bytes that a loader would; anything but an Error fails the test.
  void survive(const std::vector<std::byte>& bytes) {
    try {
      const Gguf file = Gguf::parse(bytes);
      unsigned sum = 0;
      for (const GgufTensor& t : file.tensors()) sum += std::to_integer<unsigned>(t.data.front() ^ t.data.back());
      accepted_ += sum != ~0u;
    } catch (const Error& e) {
      EXPECT_STRNE(e.what(), "");
      ++refused_;
    }
  }

  void flip(std::vector<std::byte>& bytes, size_t within) { bytes[below(within)] ^= static_cast<std::byte>(1u << below(8)); }

  std::vector<std::byte> original_;
  size_t head_bytes_ = 0;
  std::mt19937_64 random_{7};
  int accepted_ = 0, refused_ = 0;
};

TEST_F(GgufHostile, SurvivesFlippedBitsAnywhereInTheHead) {
  for (int i = 0; i < 3000; ++i) {
    auto bytes = original_;
    for (size_t flips = 1 + below(16); flips > 0; --flips) flip(bytes, head_bytes_);
    survive(bytes);
  }
  EXPECT_GT(accepted_, 0) << "flips in strings do no harm";
  EXPECT_GT(refused_, 0);
}

TEST_F(GgufHostile, SurvivesFlippedBitsInTheFirstKeys) {
  for (int i = 0; i < 3000; ++i) {
    auto bytes = original_;
    flip(bytes, 400);
    survive(bytes);
  }
  EXPECT_GT(refused_, 0);
}

TEST_F(GgufHostile, RefusesEveryTruncation) {
  for (int i = 0; i < 1500; ++i) {
    auto bytes = original_;
    bytes.resize(below(i % 2 ? head_bytes_ : bytes.size() - 32));
    survive(bytes);
  }
  EXPECT_EQ(accepted_, 0);
}

TEST_F(GgufHostile, SurvivesBytesOverwrittenByExtremes) {
  for (int i = 0; i < 3000; ++i) {
    auto bytes = original_;
    const size_t at = below(head_bytes_ - 8), n = 1 + below(8);
    const std::byte value = i % 2 ? std::byte{0xff} : i % 4 ? std::byte{0x7f} : std::byte{0};
    for (size_t k = 0; k < n; ++k) bytes[at + k] = value;
    survive(bytes);
  }
  EXPECT_GT(refused_, 0);
}

}  // namespace
}  // namespace skald
