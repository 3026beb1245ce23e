// Where threads go on machines of one and of several nodes, and which options are rejected.
#include "base/cpu_placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/cpu_features.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const CpuList kEight = {0, 1, 2, 3, 4, 5, 6, 7};

Machine one_node() { return {.present = kEight, .usable = kEight, .nodes = {kEight}, .node = 0, .quota = 8}; }

Machine two_nodes() {
  return {.present = kEight, .usable = kEight, .nodes = {{0, 1, 2, 3}, {4, 5, 6, 7}}, .node = 1, .quota = 8};
}

std::string refusal(const DeviceOptions& options, const Machine& machine) {
  const Error e = test::error_of([&] { plan_threads(options, machine); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  return e.what();
}

TEST(PlanThreads, TakesAllUsableCpusUnlessToldOtherwise) {
  const ThreadPlan plan = plan_threads({}, one_node());
  EXPECT_EQ(plan.threads, 8);
  EXPECT_EQ(plan.threads_batch, 8);
  EXPECT_THAT(plan.places, IsEmpty());
  Machine limited = one_node();
  limited.usable = {2, 3, 4};
  EXPECT_EQ(plan_threads({}, limited).threads, 3);
  limited.quota = 2;
  EXPECT_EQ(plan_threads({}, limited).threads, 2);
}

TEST(PlanThreads, OfBatchesAreAsManyAsTheOthersByDefault) {
  EXPECT_EQ(plan_threads({.n_threads = 3}, one_node()).threads_batch, 3);
  const ThreadPlan more = plan_threads({.n_threads = 2, .n_threads_batch = 6}, one_node());
  EXPECT_EQ(more.threads, 2);
  EXPECT_EQ(more.most(), 6);
  EXPECT_EQ(plan_threads({.n_threads = 6, .n_threads_batch = 2}, one_node()).most(), 6);
}

TEST(PlanThreads, GivesEachACpuOfTheRange) {
  const ThreadPlan plan = plan_threads({.cpu_range = "2-3,6"}, one_node());
  EXPECT_EQ(plan.threads, 3);
  EXPECT_THAT(plan.places, ElementsAre(CpuList{2}, CpuList{3}, CpuList{6}));
  EXPECT_EQ(plan_threads({.n_threads = 1, .cpu_range = "2-3,6"}, one_node()).threads, 1);
}

TEST(PlanThreads, DistributesThemOverTheNodesInTurns) {
  const ThreadPlan plan = plan_threads({.numa = "distribute"}, two_nodes());
  EXPECT_EQ(plan.threads, 8);
  EXPECT_THAT(plan.places, ElementsAre(CpuList{0, 1, 2, 3}, CpuList{4, 5, 6, 7}));
  const ThreadPlan ranged = plan_threads({.cpu_range = "1-5", .numa = "distribute"}, two_nodes());
  EXPECT_THAT(ranged.places, ElementsAre(CpuList{1}, CpuList{4}, CpuList{2}, CpuList{5}, CpuList{3}));
}

TEST(PlanThreads, IsolatesThemOnTheNodeOfTheProcess) {
  const ThreadPlan plan = plan_threads({.numa = "isolate"}, two_nodes());
  EXPECT_EQ(plan.threads, 4);
  EXPECT_THAT(plan.places, ElementsAre(CpuList{4, 5, 6, 7}));
  EXPECT_THAT(plan_threads({.cpu_range = "3-5", .numa = "isolate"}, two_nodes()).places,
              ElementsAre(CpuList{4}, CpuList{5}));
  EXPECT_THAT(refusal({.cpu_range = "0-1", .numa = "isolate"}, two_nodes()), AllOf(HasSubstr("4-7"), HasSubstr("0-1")));
}

TEST(PlanThreads, UsesOfANodeOnlyWhatTheProcessMay) {
  Machine m = two_nodes();
  m.usable = {0, 4, 5};
  EXPECT_THAT(plan_threads({.numa = "distribute"}, m).places, ElementsAre(CpuList{0}, CpuList{4, 5}));
  EXPECT_THAT(plan_threads({.numa = "isolate"}, m).places, ElementsAre(CpuList{4, 5}));
  EXPECT_EQ(plan_threads({.numa = "isolate"}, m).threads, 2);
}

TEST(PlanThreads, LeavesThreadsAloneOnAMachineOfOneNode) {
  for (const char* numa : {"distribute", "isolate"}) {
    const ThreadPlan plan = plan_threads({.numa = numa}, one_node());
    EXPECT_EQ(plan.threads, 8) << numa;
    EXPECT_THAT(plan.places, IsEmpty()) << numa;
    EXPECT_THAT(plan_threads({.cpu_range = "1-2", .numa = numa}, one_node()).places, ElementsAre(CpuList{1}, CpuList{2}));
  }
}

TEST(PlanThreads, NamesTheOptionThatIsWrong) {
  Machine m = one_node();
  m.usable = {0, 1, 2, 3};
  EXPECT_THAT(refusal({.n_threads = -1}, m), HasSubstr("device.n_threads: want"));
  EXPECT_THAT(refusal({.n_threads = 5000}, m), HasSubstr("4096"));
  EXPECT_THAT(refusal({.n_threads_batch = -1}, m), HasSubstr("device.n_threads_batch: want"));
  EXPECT_THAT(refusal({.cpu_range = "a"}, m), AllOf(HasSubstr("device.cpu_range"), HasSubstr("'a'")));
  EXPECT_THAT(refusal({.cpu_range = "6-9"}, m), AllOf(HasSubstr("no such CPU: 8-9"), HasSubstr("0-7")));
  EXPECT_THAT(refusal({.cpu_range = "3-5"}, m), AllOf(HasSubstr("may not use CPU 4-5"), HasSubstr("0-3")));
  EXPECT_THAT(refusal({.numa = "mirror"}, m), AllOf(HasSubstr("device.numa: 'mirror'"), HasSubstr("isolate")));
}

TEST(ThisMachine, HoldsTogether) {
  const Machine m = this_machine();
  EXPECT_FALSE(m.usable.empty());
  EXPECT_EQ(difference(m.usable, m.present), CpuList{});
  EXPECT_EQ(m.quota, usable_cpus());
  ASSERT_FALSE(m.nodes.empty());
  ASSERT_LT(static_cast<size_t>(m.node), m.nodes.size());
  EXPECT_EQ(plan_threads({}, m).threads, usable_cpus());
  EXPECT_GE(plan_threads({.numa = "distribute"}, m).threads, 1);
  EXPECT_GE(plan_threads({.numa = "isolate"}, m).threads, 1);
}

}  // namespace
}  // namespace skald
