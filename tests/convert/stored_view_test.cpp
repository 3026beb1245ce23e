#include "convert/stored_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "quant/mxfp4/block.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The elements 0, 1, 2, ... of a shape.
struct Counting {
  explicit Counting(std::vector<int64_t> shape) {
    values.resize(static_cast<size_t>(std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies())));
    std::iota(values.begin(), values.end(), 0.0F);
    stored = {"x", Element::kF32, std::move(shape), std::as_bytes(std::span(values))};
  }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;
  std::vector<float> values;
  StoredTensor stored;
};

std::vector<float> elements(const StoredView& view) {
  std::vector<float> out(static_cast<size_t>(view.elements()));
  for (int64_t r = 0; r < view.rows(); ++r) view.read_row(r, out.data() + r * view.cols());
  return out;
}

TEST(StoredView, IsTheTensorItself) {
  const Counting x({2, 3});
  const StoredView view(x.stored);
  EXPECT_EQ(view.shape(), (Shape{2, 3}));
  EXPECT_TRUE(view.is_whole());
  EXPECT_EQ(elements(view), x.values);
}

TEST(StoredView, SingleNumbersHaveOneElement) {
  const Counting x({});
  EXPECT_EQ(StoredView(x.stored).shape(), Shape{1});
  EXPECT_THAT(elements(StoredView(x.stored)), ElementsAre(0));
}

TEST(StoredView, SwappedAxesTranspose) {
  const Counting x({2, 3});
  EXPECT_THAT(elements(StoredView(x.stored).swap(0, 1)), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_FALSE(StoredView(x.stored).swap(0, 1).is_whole());
}

TEST(StoredView, SplitAxesAreReorderedAndTaken) {
  const Counting x({8});
  const StoredView halves = StoredView(x.stored).split(0, {2, 2, 2});  // (head, half, pair)
  EXPECT_THAT(elements(halves.swap(1, 2)), ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));
  EXPECT_THAT(elements(StoredView(x.stored).take(0, 1, 3, 2)), ElementsAre(1, 3, 5));
  EXPECT_THAT(elements(StoredView(x.stored).split(0, {2, 0}).at(0, 1)), ElementsAre(4, 5, 6, 7));
}

TEST(StoredView, TheLastAxisMayHaveGapsToo) {
  const Counting x({2, 4});
  EXPECT_THAT(elements(StoredView(x.stored).take(1, 1, 2, 2)), ElementsAre(1, 3, 5, 7));
}

TEST(StoredView, WhatDoesNotFitIsAnErrorThatNamesTheTensor) {
  const Counting x({4, 6});
  const StoredView v(x.stored);
  const auto expect_bad = [](auto f, const char* message) {
    const Error e = test::error_of(f);
    EXPECT_EQ(e.code(), Errc::kBadFile);
    EXPECT_THAT(e.what(), HasSubstr(message));
  };
  expect_bad([&] { v.split(0, {3, 0}); }, "tensor x: dimension 0 of (4, 6) does not divide into 3 x 0");
  expect_bad([&] { v.split(1, {2, 2}); }, "does not divide into 2 x 2");
  expect_bad([&] { v.split(1, {int64_t{1} << 40, int64_t{1} << 40}); }, "does not divide");
  expect_bad([&] { v.take(0, 2, 3); }, "has no elements 2 to 4");
  expect_bad([&] { v.take(0, 0, 0); }, "has no elements");
  expect_bad([&] { v.take(2, 0, 1); }, "(4, 6) has no dimension 2");
  expect_bad([&] { v.at(0, 4); }, "has no elements 4 to 4");
  const StoredTensor five{"y", Element::kF32, {1, 1, 1, 1, 1}, {}};
  EXPECT_EQ(test::error_of([&] { StoredView w(five); }).code(), Errc::kUnsupported);
}

TEST(LazyTensor, FormatIsThatOfItsPartsUnlessElementsAreComputed) {
  const Counting x({2, 4});
  LazyTensor t = LazyTensor::of(StoredView(x.stored).swap(0, 1));
  EXPECT_EQ(t.format(), &format_f32);
  t.function = [](float x) { return x + 1; };
  EXPECT_EQ(t.format(), nullptr);
  EXPECT_EQ(test::error_of([&] { t.seen_as(Shape{7}); }).code(), Errc::kBadFile);
  EXPECT_EQ(t.seen_as(Shape{8}).shape, Shape{8});
}

TEST(LazyTensor, RunsOfRowsHaveFactorsAfterTheFunction) {
  const Counting x({3, 2});
  LazyTensor t = LazyTensor::of(StoredView(x.stored));
  t.function = [](float v) { return v + 1; };
  const std::vector<RowFactor> runs = {{1, 2}, {2, 10}};
  t.multiply(runs);
  ASSERT_EQ(t.parts.size(), 2u);
  float out[2];
  t.read(0, 0, out);
  EXPECT_THAT(out, ElementsAre(2, 4));
  t.read(1, 1, out);
  EXPECT_THAT(out, ElementsAre(50, 60));
  EXPECT_EQ(t.format(), nullptr);
  LazyTensor other = LazyTensor::of(StoredView(x.stored));
  const std::vector<RowFactor> too_few = {{2, 1}};
  EXPECT_EQ(test::error_of([&] { other.multiply(too_few); }).code(), Errc::kBadFile);
}

TEST(LazyTensor, ARowIsMadeOfSeveralOfAView) {
  const Counting x({2, 8});
  const LazyTensor t{Shape{2, 8}, {StoredView(x.stored).split(1, {2, 2, 2}).swap(1, 2)}};  // heads that take turns
  EXPECT_EQ(t.rows_of_part(0), 4);
  float out[8];
  t.read(0, 4, out);  // the second row
  EXPECT_THAT(out, ElementsAre(8, 9, 12, 13, 10, 11, 14, 15));
}

TEST(LazyTensor, BlocksAreCopiedOnlyAsTheyLie) {
  const std::vector<uint8_t> codes(2 * 64 / 2), scales(4);
  const StoredTensor mx{"x", Element::kMxfp4, {2, 64}, std::as_bytes(std::span(codes)), {}, scales};
  EXPECT_NE(LazyTensor::of(StoredView(mx).take(0, 1, 1)).format(), nullptr);
  EXPECT_EQ(LazyTensor::of(StoredView(mx).swap(0, 1)).format(), nullptr);
  EXPECT_EQ(LazyTensor::of(StoredView(mx).take(1, 16, 32)).format(), nullptr);
}

}  // namespace
}  // namespace skald
