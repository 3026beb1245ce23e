// Cuts: which heads, columns and blocks ranks have, and that all are there.
#include "graph/cut.h"

#include <gtest/gtest.h>

#include "graph/cuts.h"

namespace skald {
namespace {

TEST(Cut, IsAsEvenAsItCanBe) {
  EXPECT_EQ(even_cut(10, 3), (Cut{{{{0, 3}}, {{3, 3}}, {{6, 4}}}}));
  EXPECT_EQ(even_cut(10, 2, 4), (Cut{{{{0, 4}}, {{4, 6}}}})) << "grains of 4, 4 and 2";
  EXPECT_EQ(even_cut(2, 4), (Cut{{{{0, 1}}, {{0, 1}}, {{1, 1}}, {{1, 1}}}})) << "ranks share what is too little";
}

TEST(Cut, GivesEachRankTheQueryHeadsOfItsKvHeads) {
  const HeadCut cut = cut_heads(/*heads=*/12, /*groups=*/4, 2);
  EXPECT_EQ(cut.groups, (Cut{{{{0, 2}}, {{2, 2}}}}));
  EXPECT_EQ(cut.heads, (Cut{{{{0, 6}}, {{6, 6}}}}));
}

TEST(Cut, DividesTheHeadsOfAGroupOverRanksThatShareIt) {
  const HeadCut cut = cut_heads(/*heads=*/8, /*groups=*/2, 3);
  EXPECT_EQ(cut.groups, (Cut{{{{0, 1}}, {{0, 1}}, {{1, 1}}}}));
  EXPECT_EQ(cut.heads, (Cut{{{{0, 2}}, {{2, 2}}, {{4, 4}}}}));
}

TEST(Cut, GivesRanksBeyondTheHeadsAHeadOfAnother) {
  const HeadCut cut = cut_heads(/*heads=*/2, /*groups=*/2, 3);
  EXPECT_EQ(cut.heads, (Cut{{{{0, 1}}, {{0, 1}}, {{1, 1}}}}));
}

TEST(Cut, FindsTiledHeadsOfAGroupInEachTile) {
  const HeadCut cut = cut_heads(/*heads=*/8, /*groups=*/4, 2, /*tiled=*/true);
  EXPECT_EQ(cut.heads[0], (Slices{{0, 2}, {4, 2}}));
  EXPECT_EQ(cut.heads[1], (Slices{{2, 2}, {6, 2}}));
}

TEST(Cut, EveryHeadIsSomewhereForAnyNumberOfRanks) {
  for (const auto& [heads, groups] : {std::pair(8, 8), std::pair(8, 2), std::pair(6, 1), std::pair(15, 5), std::pair(40, 8)})
    for (size_t ranks = 1; ranks < 20; ++ranks)
      for (const bool tiled : {false, true}) {
        const HeadCut cut = cut_heads(heads, groups, ranks, tiled);
        Slices all;
        for (size_t r = 0; r < ranks; ++r) {
          all = united(all, cut.heads[r]);
          EXPECT_EQ(size_of(cut.heads[r]) % size_of(cut.groups[r]), 0) << "heads of a rank have KV heads alike";
        }
        EXPECT_EQ(all, (Slices{{0, heads}})) << heads << " heads in " << groups << " groups on " << ranks << " ranks";
      }
}

TEST(Cut, UnitesSlicesThatTouchOrOverlap) {
  EXPECT_EQ(united({{0, 2}, {8, 1}}, {{2, 2}, {3, 4}}), (Slices{{0, 7}, {8, 1}}));
  EXPECT_EQ(inside({{0, 4}, {6, 4}}, {2, 6}), (Slices{{0, 2}, {4, 2}}));
}

TEST(Cut, CutsNoBlockThrough) {
  constexpr Format kBlocks{.name = "blocks", .id = 8, .block = 32, .block_bytes = 34, .decode = nullptr, .encode = nullptr};
  EXPECT_TRUE(can_cut_blocks(kBlocks, {{{{0, 32}}, {{32, 64}}}}));
  EXPECT_FALSE(can_cut_blocks(kBlocks, {{{{0, 16}}, {{16, 16}}}}));
  EXPECT_TRUE(can_cut_blocks(kBlocks, {{{{0, 32}}, {{0, 32}}}})) << "ranks that have the same";
  EXPECT_FALSE(can_cut_blocks(kBlocks, {{{{0, 64}}, {{32, 64}}}})) << "a sum would count some columns twice";
}

}  // namespace
}  // namespace skald
