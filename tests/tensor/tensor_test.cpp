#include "tensor/tensor.h"

#include <gtest/gtest.h>

#include <array>

namespace skald {
namespace {

constexpr Format kBlocks{.name = "blocks", .id = 63, .block = 32, .block_bytes = 18, .decode = nullptr, .encode = nullptr};

TEST(TensorDesc, CountsBytesInBlocks) {
  const TensorDesc plain{&format_f32, Shape{3, 5}}, blocked{&kBlocks, Shape{3, 64}};
  EXPECT_EQ(plain.bytes(), 60);
  EXPECT_EQ(plain.row_bytes(), 20);
  EXPECT_EQ(blocked.bytes(), 3 * 36);
  EXPECT_EQ(blocked.row_bytes(), 36);
}

TEST(TensorView, FindsRows) {
  std::array<float, 15> memory{};
  const TensorView v{reinterpret_cast<std::byte*>(memory.data()), {&format_f32, Shape{3, 5}}};
  EXPECT_EQ(v.row(2), memory.data() + 10);
  EXPECT_EQ(v.row_bytes(1), reinterpret_cast<std::byte*>(memory.data() + 5));
  EXPECT_EQ(v.rows(), 3);
  EXPECT_EQ(v.cols(), 5);
}

TEST(PlainFormats, CopyExactly) {
  const std::array<float, 3> in{1.5f, -0.0f, 3e-40f};
  std::array<float, 3> stored{}, out{};
  format_f32.encode(in.data(), stored.data(), 3);
  format_f32.decode(stored.data(), out.data(), 3);
  EXPECT_EQ(in, out);
  EXPECT_EQ(format_f32.bytes(7), 28);
}

}  // namespace
}  // namespace skald
