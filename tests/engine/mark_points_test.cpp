#include "engine/mark_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skald::mark_points_test {

using testing::ElementsAre;

static std::vector<int64_t> points(int64_t n, int64_t from, const CheckpointOptions& options,
                                   const std::vector<int64_t>& ends = {}) {
  std::vector<TokenId> prompt(static_cast<size_t>(n), 1);
  for (const int64_t end : ends) prompt[static_cast<size_t>(end - 1)] = 2;
  return mark_points(prompt, from, options, [](TokenId id) { return id == 2; });
}

TEST(MarkPoints, AreTheEndAndTheLastMultipleBeforeIt) {
  EXPECT_THAT(points(200, 0, {.step = 0}), ElementsAre(192, 200));
  EXPECT_THAT(points(192, 0, {.step = 0}), ElementsAre(128, 192)) << "one token is left to compute";
  EXPECT_THAT(points(30, 0, {.step = 0}), ElementsAre(30));
}

TEST(MarkPoints, AreOneInSoManyTokens) {
  EXPECT_THAT(points(1000, 0, {.step = 300}), ElementsAre(256, 512, 768, 960, 1000));
  EXPECT_THAT(points(1000, 600, {.step = 300}), ElementsAre(768, 960, 1000));
}

TEST(MarkPoints, AreInTheNewestMessages) {
  EXPECT_THAT(points(1000, 0, {.step = 0}, {100, 200, 400, 500, 900, 950}), ElementsAre(384, 448, 896, 960, 1000));
  EXPECT_THAT(points(1000, 450, {.step = 0}, {100, 200, 400, 500, 900, 950}), ElementsAre(896, 960, 1000));
}

TEST(MarkPoints, AreNoMoreThanAskedFor) {
  EXPECT_THAT(points(1000, 0, {.most = 2, .step = 64}), ElementsAre(960, 1000));
  EXPECT_THAT(points(1000, 0, {.most = 0, .step = 64}), ElementsAre());
}

TEST(MarkPoints, OfATextWithoutMessagesNeedNoEnds) {
  EXPECT_THAT(mark_points(std::vector<TokenId>(100, 2), 0, {.step = 0}, {}), ElementsAre(64, 100));
}

TEST(StatePoints, AreTheLastOneTheEndsOfMessagesAndOneIn4096) {
  const auto of = [](int64_t n, const std::vector<int64_t>& ends, int64_t from = 0) {
    std::vector<TokenId> prompt(static_cast<size_t>(n), 2);
    for (const int64_t end : ends) prompt[static_cast<size_t>(end - 1)] = 7;
    return state_points(prompt, from, [](TokenId id) { return id == 7; });
  };
  EXPECT_THAT(of(1000, {}), ElementsAre(960));
  EXPECT_THAT(of(1024, {}), ElementsAre(960)) << "a token is left";
  EXPECT_THAT(of(64, {}), ElementsAre());
  EXPECT_THAT(of(1000, {128, 300, 990}), ElementsAre(128, 256, 960));
  EXPECT_THAT(of(128, {128}), ElementsAre(64)) << "though a message ends with it";
  EXPECT_THAT(of(4096, {}), ElementsAre(4032));
  EXPECT_THAT(of(9000, {}), ElementsAre(4096, 8192, 8960));
  EXPECT_THAT(of(9000, {300}, 5000), ElementsAre(8192, 8960));
}

}  // namespace skald::mark_points_test
