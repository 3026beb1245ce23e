#include "convert/tokenizers/piece_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace skald {
namespace {

using ::testing::HasSubstr;

TEST(PieceTable, FillsGapsWithUnusedPieces) {
  PieceTable table(3);
  table.add(1, {.text = "a"});
  const std::vector<Piece> all = table.filled();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].text, "[PAD0]");
  EXPECT_EQ(all[0].kind, PieceKind::kUnused);
  EXPECT_EQ(all[1].text, "a");
  EXPECT_EQ(all[2].text, "[PAD2]");
}

TEST(PieceTable, TakesEachIdOnceUnlessItIsReplaced) {
  PieceTable table(3);
  table.add(1, {.text = "a"});
  EXPECT_THAT(test::error_of([&] { table.add(1, {.text = "b"}); }).what(), HasSubstr("id 1: \"a\" and \"b\""));
  table.replace(1, {.text = "b"});
  EXPECT_EQ(table.find(1)->text, "b");
  EXPECT_EQ(table.find("a"), std::nullopt);
  table.add(2, {.text = "b"});
  EXPECT_EQ(table.find("b"), 2);
}

TEST(PieceTable, HasNoRowsBeyondTheModels) {
  PieceTable table(2);
  table.add(2, {.text = "a"});
  table.replace(int64_t{1} << 60, {.text = "b"});
  EXPECT_EQ(table.left_out(), 2);
  EXPECT_EQ(table.find(2), nullptr);
  EXPECT_EQ(table.filled().size(), 2u);
  EXPECT_THAT(test::error_of([&] { table.add(-1, {.text = "a"}); }).what(), HasSubstr("-1"));
}

TEST(PieceTable, RefusesSizesThatNoVocabularyHas) {
  for (int64_t size : {int64_t{-1}, int64_t{0}, int64_t{1} << 40})
    EXPECT_EQ(test::error_of([&] { PieceTable table(size); }).code(), Errc::kBadFile) << size;
}

}  // namespace
}  // namespace skald
