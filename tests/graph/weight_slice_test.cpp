// Slices of weights: their shapes, names, and where their bytes lie.
#include "graph/weight_slice.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

TEST(WeightSlice, WholeRowsAreOnePiece) {
  const WeightSlice slice{"w", {&format_f32, Shape{8, 4}}, {{{2, 3}}, {}}};
  EXPECT_EQ(slice.desc().shape, (Shape{3, 4}));
  EXPECT_EQ(slice.name(), "w[2+3][]");
  EXPECT_EQ(slice.pieces(), (std::vector<Slice>{{32, 48}}));
}

TEST(WeightSlice, ColumnsArePiecesOfEachRow) {
  const WeightSlice slice{"w", {&format_f32, Shape{2, 8}}, {{}, {{0, 2}, {4, 1}}}};
  EXPECT_EQ(slice.desc().shape, (Shape{2, 3}));
  EXPECT_EQ(slice.pieces(), (std::vector<Slice>{{0, 8}, {16, 4}, {32, 8}, {48, 4}}));
}

TEST(WeightSlice, HasBlocksOfQuantisedColumns) {
  constexpr Format kBlocks{.name = "blocks", .id = 8, .block = 32, .block_bytes = 34, .decode = nullptr, .encode = nullptr};
  const WeightSlice slice{"w", {&kBlocks, Shape{2, 64}}, {{}, {{32, 32}}}};
  EXPECT_EQ(slice.pieces(), (std::vector<Slice>{{34, 34}, {102, 34}}));
}

TEST(WeightSlice, HasTheRowsOfEachExpert) {
  const WeightSlice slice{"w", {&format_f32, Shape{3, 4, 2}}, {{}, {{1, 2}}, {}}};
  EXPECT_EQ(slice.desc().shape, (Shape{3, 2, 2}));
  EXPECT_EQ(slice.pieces(), (std::vector<Slice>{{8, 16}, {40, 16}, {72, 16}}));
  const WeightSlice experts{"w", {&format_f32, Shape{3, 4, 2}}, {{{1, 2}}, {}, {}}};
  EXPECT_EQ(experts.pieces(), (std::vector<Slice>{{32, 64}}));
}

}  // namespace
}  // namespace skald
