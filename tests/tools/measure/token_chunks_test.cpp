// How a text's tokens are cut into windows, and which are predicted.
#include "tools/measure/token_chunks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "skald/model.h"
#include "tests/models/golden.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<TokenId> numbers(int64_t n) {
  std::vector<TokenId> out(static_cast<size_t>(n));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

TEST(CutTokens, LaysWindowsEndToEndAndPredictsTheirSecondHalf) {
  const TokenChunks c = cut_tokens(numbers(27), std::nullopt, {.n_ctx = 8});
  EXPECT_EQ(c.count, 3) << "what is left is dropped";
  EXPECT_EQ(c.first, 4);
  EXPECT_EQ(c.predicted(), 3);
  EXPECT_THAT(c.window(1), ElementsAre(8, 9, 10, 11, 12, 13, 14, 15));
  EXPECT_EQ(c.target(1, c.first), 13) << "the fifth position predicts the sixth";
}

TEST(CutTokens, WithAStridePredictsEachTokenAfterTheFirstWindowsOnce) {
  const TokenChunks c = cut_tokens(numbers(31), std::nullopt, {.n_ctx = 10, .stride = 4});
  std::vector<TokenId> predicted;
  for (int64_t i = 0; i < c.count; ++i) {
    EXPECT_EQ(c.window(i).size(), 10u);
    for (int64_t p = c.first; p < c.n_ctx - 1; ++p) predicted.push_back(c.target(i, p));
  }
  ASSERT_FALSE(predicted.empty());
  for (size_t i = 1; i < predicted.size(); ++i) EXPECT_EQ(predicted[i], predicted[i - 1] + 1);
  EXPECT_EQ(predicted.front(), 6);
  EXPECT_EQ(predicted.back(), 29);
}

TEST(CutTokens, BeginsEachWindowWithTheBosTokenButPredictsTheText) {
  const TokenChunks c = cut_tokens(numbers(16), 99, {.n_ctx = 8});
  EXPECT_THAT(c.window(1), ElementsAre(99, 9, 10, 11, 12, 13, 14, 15));
  EXPECT_THAT(c.tokens, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

TEST(CutTokens, TakesNoMoreWindowsThanAskedFor) {
  EXPECT_EQ(cut_tokens(numbers(100), {}, {.n_ctx = 10, .most = 3}).count, 3);
  EXPECT_EQ(cut_tokens(numbers(100), {}, {.n_ctx = 10, .most = 30}).count, 10);
}

TEST(CutTokens, SaysHowManyTokensAreNeeded) {
  const Error e = test::error_of([] { cut_tokens(numbers(500), {}, {.n_ctx = 512}); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_THAT(e.what(), HasSubstr("the text has 500 tokens, but a context of 512 needs at least 512"));
  EXPECT_THAT(test::error_of([] { cut_tokens(numbers(8), {}, {.n_ctx = 8, .stride = 2}); }).what(), HasSubstr("at least 9"));
  EXPECT_THAT(test::error_of([] { cut_tokens({}, {}, {.n_ctx = 8}); }).what(), HasSubstr("has 0 tokens"));
}

TEST(CutTokens, NamesOptionsOutOfRange) {
  const auto error = [](const ChunkOptions& o) {
    return std::string(test::error_of([&] { cut_tokens(numbers(100), {}, o); }).what());
  };
  EXPECT_THAT(error({.n_ctx = 2}), HasSubstr("chunks.n_ctx"));
  EXPECT_THAT(error({.n_ctx = int64_t{1} << 40}), HasSubstr("chunks.n_ctx"));
  EXPECT_THAT(error({.n_ctx = 8, .stride = 8}), HasSubstr("chunks.stride"));
  EXPECT_THAT(error({.n_ctx = 8, .stride = -1}), HasSubstr("chunks.stride"));
  EXPECT_THAT(error({.n_ctx = 8, .most = 0}), HasSubstr("chunks.most"));
  EXPECT_EQ(error({.n_ctx = 3}), "no error");
}

TEST(AddedBos, IsWhatTheTokenizerBeginsTextsWith) {
  const Model model = Model::embedded();
  EXPECT_EQ(added_bos(*model.loaded()), model.tokenize("x").front());
}

}  // namespace
}  // namespace skald
