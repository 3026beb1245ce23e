#include "tensor/shape.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace skald {
namespace {

TEST(Shape, CountsRowsAndElements) {
  const Shape s{2, 3, 5};
  EXPECT_EQ(s.rank(), 3);
  EXPECT_EQ(s.rows(), 6);
  EXPECT_EQ(s.back(), 5);
  EXPECT_EQ(s.elements(), 30);
  EXPECT_EQ(s.to_string(), "(2, 3, 5)");
  EXPECT_EQ((Shape{7}.rows()), 1);
  EXPECT_EQ((Shape{0, 4}.elements()), 0);
}

TEST(Shape, WithoutDimensionsIsOneElement) {
  EXPECT_EQ(Shape().elements(), 1);
  EXPECT_EQ(Shape().to_string(), "()");
}

TEST(Shape, EqualityNeedsTheSameRank) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_NE((Shape{2, 3}), (Shape{3, 2}));
  EXPECT_NE((Shape{4}), (Shape{4, 0}));
  EXPECT_NE((Shape{1, 4}), (Shape{4}));
}

TEST(Shape, IsTheSameButForOnesWhereverTheseStand) {
  EXPECT_TRUE(same_but_for_ones(Shape{32, 4}, Shape{1, 32, 1, 4}));
  EXPECT_TRUE(same_but_for_ones(Shape{4}, Shape{1, 4, 1}));
  EXPECT_TRUE(same_but_for_ones(Shape{1}, Shape{1, 1}));
  EXPECT_FALSE(same_but_for_ones(Shape{32, 4}, Shape{4, 32}));
  EXPECT_FALSE(same_but_for_ones(Shape{4}, Shape{4, 2}));
}

TEST(Shape, RefusesTooManyAndNegativeDimensions) {
  const Error rank = test::error_of([] { Shape{1, 2, 3, 4, 5}; });
  EXPECT_EQ(rank.code(), Errc::kBadInput);
  EXPECT_NE(std::string(rank.what()).find("5 dimensions"), std::string::npos) << rank.what();
  const Error negative = test::error_of([] { Shape{3, -1}; });
  EXPECT_EQ(negative.code(), Errc::kBadInput);
  EXPECT_NE(std::string(negative.what()).find("-1"), std::string::npos) << negative.what();
}

}  // namespace
}  // namespace skald
