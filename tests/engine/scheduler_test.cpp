// The scheduler's decisions, without a model.
#include "engine/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "kv/page_origin.h"

namespace skald {
namespace {

using Step = std::vector<std::pair<size_t, int64_t>>;  // (request, tokens)

Step plan(const std::vector<int64_t>& tokens, int64_t budget) {
  std::vector<BranchLoad> pending;
  for (const int64_t n : tokens) pending.push_back({.tokens = n});
  Step out;
  for (const StepShare& share : schedule(pending, {}, budget).shares) out.emplace_back(share.branch, share.tokens);
  return out;
}

TEST(Schedule, TakesEverythingThatFits) { EXPECT_EQ(plan({3, 5, 2}, 10), (Step{{0, 3}, {1, 5}, {2, 2}})); }

TEST(Schedule, PutsDecodeStepsBeforePrompts) { EXPECT_EQ(plan({7, 1, 4, 1}, 100), (Step{{1, 1}, {3, 1}, {0, 7}, {2, 4}})); }

TEST(Schedule, CutsThePromptThatExceedsTheBudget) {
  EXPECT_EQ(plan({100}, 16), (Step{{0, 16}}));
  EXPECT_EQ(plan({100, 1, 50}, 16), (Step{{1, 1}, {0, 15}}));
  EXPECT_EQ(plan({10, 50}, 16), (Step{{0, 10}, {1, 6}}));
}

TEST(Schedule, ServesInOrderWhenTheBudgetIsSmallerThanTheNumberOfRequests) {
  EXPECT_EQ(plan({1, 1, 1, 1}, 2), (Step{{0, 1}, {1, 1}}));
  EXPECT_EQ(plan({5, 1, 1}, 2), (Step{{1, 1}, {2, 1}}));
}

TEST(Schedule, LeavesOutRequestsWithoutTokens) {
  EXPECT_EQ(plan({0, 3, 0, 1}, 8), (Step{{3, 1}, {1, 3}}));
  EXPECT_TRUE(plan({0, 0}, 8).empty());
  EXPECT_TRUE(plan({}, 8).empty());
}

TEST(Schedule, OfNoBudgetIsEmpty) { EXPECT_TRUE(plan({1, 5}, 0).empty()); }

Step plan_of(const std::vector<BranchLoad>& pending, int64_t budget) {
  Step out;
  for (const StepShare& share : schedule(pending, {}, budget).shares) out.emplace_back(share.branch, share.tokens);
  return out;
}

TEST(Schedule, DoesNotCutABeginningThatMustBeInOneStep) {
  EXPECT_EQ(plan_of({{1}, {1}, {9, 8}}, 10), (Step{{2, 9}, {0, 1}})) << "it would not fit beside the decode steps";
  EXPECT_EQ(plan_of({{1}, {20, 8}}, 10), (Step{{1, 10}})) << "what is after it is cut";
  EXPECT_EQ(plan_of({{7, 6}, {7, 6}, {1}, {5}}, 10), (Step{{0, 7}, {2, 1}, {3, 2}})) << "the second one waits";
  EXPECT_EQ(plan_of({{7, 6}, {3, 2}, {1}}, 10), (Step{{0, 7}, {1, 3}}));
}

TEST(Schedule, KeepsItsPromisesForAnyRequests) {
  Rng rng(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<int64_t> tokens(rng.next() % 8);
    int64_t total = 0;
    for (int64_t& n : tokens) total += n = static_cast<int64_t>(rng.next() % 3 ? rng.next() % 3 : rng.next() % 40);
    const auto budget = static_cast<int64_t>(1 + rng.next() % 30);
    int64_t sum = 0;
    std::vector<bool> seen(tokens.size());
    for (const auto& [request, n] : plan(tokens, budget)) {
      ASSERT_LT(request, tokens.size());
      ASSERT_FALSE(seen[request]) << "a request is in the step twice";
      seen[request] = true;
      ASSERT_GT(n, 0);
      ASSERT_LE(n, tokens[request]);
      sum += n;
    }
    ASSERT_EQ(sum, std::min(total, budget)) << "the budget is used, but never exceeded";
  }
}

TEST(Schedule, FinishesPromptsOneAfterTheOtherUnderSteadyDecoding) {
  std::vector<int64_t> tokens = {1, 20, 20, 1};  // two decoding requests beside two prompts
  std::vector<size_t> finished;
  for (int step = 0; step < 6; ++step)
    for (const auto& [request, n] : plan(tokens, 10)) {
      if (request == 0 || request == 3) continue;  // they have one token again
      tokens[request] -= n;
      if (tokens[request] == 0) finished.push_back(request);
    }
  EXPECT_EQ(finished, (std::vector<size_t>{1, 2}));
}

TEST(Schedule, ReadsShortPromptsBesideALongOne) {
  EXPECT_EQ(plan({5000, 3, 100, 2000}, 512), (Step{{1, 3}, {2, 100}, {0, 409}}));
  EXPECT_EQ(plan({5000, 200, 100, 30}, 512), (Step{{1, 200}, {3, 30}, {0, 282}})) << "the oldest keeps half";
  EXPECT_EQ(plan({5000, 257}, 512), (Step{{0, 512}}));
  EXPECT_EQ(plan({5000, 30, 10}, 96), (Step{{1, 30}, {0, 66}})) << "and a page";
  EXPECT_EQ(plan({5000, 3}, 64), (Step{{0, 64}}));
  EXPECT_EQ(plan({3, 5000, 4}, 512), (Step{{0, 3}, {1, 509}})) << "an older one that is nearly read";
  EXPECT_EQ(plan({1, 5000, 4}, 513), (Step{{0, 1}, {2, 4}, {1, 508}}));
}

TEST(Schedule, LeavesALongPromptHalfOfTheRowsWhateverElseComes) {
  Rng rng(2);
  for (int round = 0; round < 500; ++round) {
    std::vector<int64_t> tokens = {100000};
    for (uint64_t n = rng.next() % 40; n > 0; --n) tokens.push_back(static_cast<int64_t>(2 + rng.next() % 300));
    const auto budget = static_cast<int64_t>(64 + rng.next() % 1000);
    const Step step = plan(tokens, budget);
    ASSERT_EQ(step.back().first, 0u);
    ASSERT_GE(step.back().second, std::max(kPageKeys, budget / 2));
  }
}

// A branch that takes a page for each of its tokens, and owns some.
BranchLoad hungry(int64_t tokens, int64_t owned) {
  return {.tokens = tokens, .need = [](int64_t n) { return KvRoom{{n}}; }, .owned = [owned] { return KvRoom{{owned}}; }};
}

TEST(Schedule, TakesPagesFromTheYoungestForTheOldest) {
  const std::vector<BranchLoad> branches{hungry(1, 5), hungry(1, 5), hungry(1, 5)};
  const StepPlan plan = schedule(branches, {{1}}, 10);
  EXPECT_EQ(plan.preempted, (std::vector<size_t>{2}));
  ASSERT_EQ(plan.shares.size(), 2u);
  EXPECT_EQ(plan.shares[1].branch, 1u);
}

TEST(Schedule, TakesNothingFromOlderBranches) {
  const std::vector<BranchLoad> branches{hungry(1, 5), hungry(2, 0)};
  const StepPlan plan = schedule(branches, {{1}}, 10);
  EXPECT_TRUE(plan.preempted.empty());
  ASSERT_EQ(plan.shares.size(), 1u) << "the younger one waits";
  EXPECT_EQ(plan.shares[0].branch, 0u);
}

TEST(Schedule, CutsPromptsBeforeItTakesPages) {
  const std::vector<BranchLoad> branches{hungry(1000, 0), hungry(1, 50)};
  const StepPlan plan = schedule(branches, {{126}}, 2000);
  EXPECT_TRUE(plan.preempted.empty());
  ASSERT_EQ(plan.shares.size(), 2u);
  EXPECT_EQ(plan.shares[1].tokens, 125);
}

TEST(Schedule, TakesNoPagesForAShortPromptBeforeTheOldestHasSome) {
  const std::vector<BranchLoad> branches{hungry(5000, 0), hungry(30, 0), hungry(0, 50)};
  const StepPlan plan = schedule(branches, {{20}}, 512);
  EXPECT_EQ(plan.preempted, (std::vector<size_t>{2}));
  ASSERT_EQ(plan.shares.size(), 1u);
  EXPECT_EQ(plan.shares[0].branch, 0u);
}

TEST(Schedule, WithoutRoomForAnybodyIsEmpty) {
  const std::vector<BranchLoad> branches{hungry(1, 0), hungry(1, 0)};
  EXPECT_TRUE(schedule(branches, {}, 10).shares.empty());
}

// A row takes a second, one that generates nothing.
Step plan_in_time(const std::vector<BranchLoad>& pending, double seconds) {
  const PromptLimit limit{.seconds = seconds, .cost = [](int64_t, int64_t tokens) { return static_cast<double>(tokens); }};
  Step out;
  for (const StepShare& share : schedule(pending, {}, 1000, limit).shares) out.emplace_back(share.branch, share.tokens);
  return out;
}

TEST(ScheduleInTime, CutsPromptsToWholePagesThatFit) {
  EXPECT_EQ(plan_in_time({{.tokens = 500}, {.tokens = 1}}, 200), (Step{{1, 1}, {0, 192}}));
  EXPECT_EQ(plan_in_time({{.tokens = 500}, {.tokens = 1}}, 700), (Step{{1, 1}, {0, 500}}));
  EXPECT_EQ(plan_in_time({{.tokens = 100}, {.tokens = 500}}, 250), (Step{{0, 100}, {1, 128}}));
}

TEST(ScheduleInTime, CutsPagesWhereNoneFits) {
  EXPECT_EQ(plan_in_time({{.tokens = 500}, {.tokens = 500}}, 50), (Step{{0, 48}}));
  EXPECT_EQ(plan_in_time({{.tokens = 500, .to_borders = true}}, 50), (Step{{0, 64}})) << "steps of its prompt end at pages";
}

TEST(ScheduleInTime, GivesTheFirstPromptSomeRowsWhateverTheyTake) {
  EXPECT_EQ(plan_in_time({{.tokens = 500}, {.tokens = 500}}, 3), (Step{{0, 16}}));
  EXPECT_EQ(plan_in_time({{.tokens = 10}, {.tokens = 1}}, 0), (Step{{1, 1}, {0, 10}}));
}

TEST(ScheduleInTime, ReadsShortPromptsBesideALongOne) {
  EXPECT_EQ(plan_in_time({{.tokens = 500}, {.tokens = 10}}, 50), (Step{{1, 10}, {0, 32}}));
  EXPECT_EQ(plan_in_time({{.tokens = 500}, {.tokens = 26}}, 50), (Step{{0, 48}})) << "more than half of the time";
  EXPECT_EQ(plan_in_time({{.tokens = 500}, {.tokens = 5}}, 10), (Step{{1, 5}, {0, 16}})) << "the oldest gets its least";
}

TEST(ScheduleInTime, DoesNotCutABeginningThatMustBeInOneStep) {
  EXPECT_EQ(plan_in_time({{.tokens = 90, .at_once = 90}}, 3), (Step{{0, 90}}));
}

TEST(ScheduleToBorders, EndsStepsAtPagesOrAtTheEnd) {
  const auto at = [](int64_t position, int64_t tokens) {
    return BranchLoad{.tokens = tokens, .position = position, .to_borders = true};
  };
  EXPECT_EQ(plan_of({at(0, 500)}, 200), (Step{{0, 192}}));
  EXPECT_EQ(plan_of({at(192, 8)}, 200), (Step{{0, 8}}));
  EXPECT_EQ(plan_of({at(100, 500)}, 200), (Step{{0, 156}}));
  EXPECT_EQ(plan_of({{.tokens = 1}, at(0, 500)}, 64), (Step{{0, 1}})) << "less than a page is left";
}

}  // namespace
}  // namespace skald
