// What recent steps say of the time of prompts.
#include "engine/step_cost.h"

#include <gtest/gtest.h>

#include <cmath>

namespace skald {
namespace {

TEST(StepCost, KnowsNothingBeforeAStep) {
  const StepCost cost;
  EXPECT_TRUE(std::isinf(cost.seconds(PromptWork::of(0, 64))));
  EXPECT_EQ(cost.generating(), 0);
}

TEST(StepCost, FindsTheTimeOfARowAndOfAKey) {
  StepCost cost;
  const auto truth = [](const PromptWork& w) { return w.rows * 1e-3 + w.keys * 2e-7; };
  for (int i = 0; i < 5; ++i) cost.note({}, true, 0.01);
  for (int64_t at = 0; at < 20000; at += 512) {
    const PromptWork work = PromptWork::of(at, 512);
    cost.note(work, true, 0.01 + truth(work));
  }
  EXPECT_NEAR(cost.generating(), 0.01, 1e-9);
  for (const int64_t at : {0, 10000, 40000}) {
    const PromptWork work = PromptWork::of(at, 256);
    EXPECT_NEAR(cost.seconds(work), truth(work), 0.01 * truth(work)) << at;
  }
}

TEST(StepCost, TellsRowsAndKeysApartOnlyWhereStepsDo) {
  StepCost cost;
  for (int i = 0; i < 4; ++i) cost.note(PromptWork::of(0, 64), false, 0.064);
  EXPECT_NEAR(cost.seconds(PromptWork::of(0, 128)), 0.128, 1e-9);
}

TEST(StepCost, IsNeverLessThanNothing) {
  StepCost cost;
  cost.note({}, true, 1.0);
  cost.note(PromptWork::of(0, 64), true, 0.5);
  cost.note(PromptWork::of(5000, 64), true, 0.1);
  EXPECT_GE(cost.seconds(PromptWork::of(0, 64)), 0);
  EXPECT_GE(cost.seconds(PromptWork::of(100000, 64)), 0);
}

}  // namespace
}  // namespace skald
