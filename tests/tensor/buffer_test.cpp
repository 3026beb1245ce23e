#include "tensor/buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "tests/support/errors.h"

namespace skald {
namespace {

TEST(Buffer, IsZeroedAndAligned) {
  for (int64_t bytes : {int64_t{1}, int64_t{100}, int64_t{5} << 20}) {
    const Buffer b(bytes);
    ASSERT_EQ(b.size(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(b.data()) % 64, 0u);
    for (int64_t i = 0; i < bytes; i += 97) ASSERT_EQ(b.data()[i], std::byte{0}) << i;
    std::memset(b.data(), 1, static_cast<size_t>(bytes));
  }
}

TEST(Buffer, OfAHugePageOrMoreBeginsWhereOneDoes) {
  const int64_t huge = int64_t{2} << 20;
  for (const int64_t bytes : {huge, huge + 1, 7 * huge / 2})
    EXPECT_EQ(reinterpret_cast<uintptr_t>(Buffer(bytes).data()) % static_cast<uintptr_t>(huge), 0u) << bytes;
}

TEST(Buffer, EmptyOneHasNoMemory) {
  EXPECT_EQ(Buffer().data(), nullptr);
  EXPECT_EQ(Buffer(0).data(), nullptr);
}

TEST(Buffer, MovesItsMemory) {
  Buffer a(10), b(20);
  std::byte* const at = a.data();
  b = std::move(a);
  EXPECT_EQ(b.data(), at);
  EXPECT_EQ(b.size(), 10);
  const Buffer c(std::move(b));
  EXPECT_EQ(c.data(), at);
}

TEST(Buffer, SaysHowMuchMemoryThereIsNot) {
  const Error e = test::error_of([] { Buffer(int64_t{1} << 60); });
  EXPECT_EQ(e.code(), Errc::kNoMemory);
  EXPECT_NE(std::string(e.what()).find("1152921504606846976"), std::string::npos) << e.what();
}

}  // namespace
}  // namespace skald
