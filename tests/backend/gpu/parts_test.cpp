// Pieces through a buffer that is smaller than they are.
#include "backend/gpu/parts.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace skald::gpu_parts_test {
namespace {

using gpu::for_each_part;
using Piece = DeviceMemory::Piece;

struct Sizes {
  int64_t bytes, count, gap;
};

// Copies pieces between two memories through a buffer of `room` bytes, and tells whether each byte came where it should.
void expect_copied(const std::vector<Sizes>& sizes, int64_t room) {
  std::vector<std::byte> from(1000), to(1000), want(1000), buffer(static_cast<size_t>(room));
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 7 + 1);
  std::vector<Piece> pieces, waiting;
  int64_t at = 0;
  for (const Sizes& s : sizes) {
    const int64_t to_step = s.bytes + s.gap, from_step = s.bytes + 1;
    pieces.push_back({to.data() + at, from.data() + at, s.bytes, s.count, to_step, from_step});
    for (int64_t i = 0; i < s.count; ++i)
      std::memcpy(want.data() + at + i * to_step, from.data() + at + i * from_step, static_cast<size_t>(s.bytes));
    at += s.count * (s.bytes + std::max<int64_t>(s.gap, 1));
  }
  const auto copy = [](std::byte* into, const std::byte* of, int64_t bytes) {
    std::memcpy(into, of, static_cast<size_t>(bytes));
  };
  int64_t flushes = 0, moved = 0;
  for_each_part(
      pieces, room,
      [&](Piece p, int64_t offset) {
        ASSERT_LE(offset + p.bytes * p.count, room);
        moved += p.bytes * p.count;
        const Piece in{buffer.data() + offset, p.from, p.bytes, p.count, p.bytes, p.from_step};
        for_each_copy({&in, 1}, copy);
        waiting.push_back({p.to, buffer.data() + offset, p.bytes, p.count, p.to_step, p.bytes});
      },
      [&] {
        ++flushes;
        for_each_copy(waiting, copy);
        waiting.clear();
      });
  EXPECT_EQ(to, want) << "through " << room;
  EXPECT_LE(flushes, 2 + 2 * moved / room);
}

TEST(Parts, OfPiecesThatAreTheWhole) {
  const std::vector<std::vector<Sizes>> all = {
      {}, {{0, 5, 0}, {3, 0, 1}}, {{10, 1, 0}}, {{4, 20, 3}, {1, 7, 0}, {30, 2, 5}}, {{100, 3, 2}, {1, 1, 0}, {64, 2, 9}},
  };
  for (const auto& sizes : all)
    for (const int64_t room : {1, 2, 7, 16, 64, 100, 1000}) expect_copied(sizes, room);
}

}  // namespace
}  // namespace skald::gpu_parts_test
