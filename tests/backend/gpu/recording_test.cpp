// Steps that are replayed give the bits of those that are launched, whatever changed since they were recorded.
#include <gtest/gtest.h>

#include <functional>

#include "tests/backend/gpu/session.h"
#include "tests/support/close_to.h"

namespace skald::gpu_recording_test {
namespace {

using test::Session;
using Steps = std::function<void(Session&)>;

struct Case {
  std::string name;
  Steps steps;
};

const std::vector<Case> kCases = {
    {"ASequenceThatGrows",
     [](Session& s) {
       s.step({{0, 60}});
       s.steps(8, {{0, 1}});  // over the end of a page
     }},
    {"BatchesThatChange",
     [](Session& s) {
       s.step({{0, 5}, {1, 3}});
       s.steps(2, {{0, 1}, {1, 1}});
       s.steps(2, {{1, 1}, {2, 1}});
       s.steps(2, {{2, 1}, {1, 1}, {0, 1}});
       s.step({{3, 1}, {1, 1}});
     }},
    {"RowsThatAreNotThere",
     [](Session& s) {
       s.step({{0, 8}});
       s.step({{1, 5}});
       s.step({{0, 3}, {1, 2}});
       s.step({{1, 1}, {0, 4}, {2, 2}});
     }},
    {"MoreSequencesThanBefore",
     [](Session& s) {
       s.step({{0, 16, 16}});
       std::vector<Session::Part> all;
       for (size_t i = 0; i < 14; ++i) all.push_back({i, 1});
       s.steps(2, all);
       s.step({{0, 9}, {15, 2}});
     }},
    {"ALargerProgramAmongOthers",
     [](Session& s) {
       s.steps(2, {{0, 1}});
       s.step({{1, 40}});
       s.steps(2, {{0, 1}});
       s.step({{1, 7}});
     }},
    {"LongerTables",
     [](Session& s) {
       for (int i = 0; i < 3; ++i) s.step({{0, 130}});
       s.steps(2, {{0, 1}});
       s.steps(2, {{1, 1}});
       s.step({{0, 1}});
     }},
};

class Replayed : public testing::TestWithParam<size_t> {};

TEST_P(Replayed, GivesTheBitsOfLaunches) {
  for (const std::string arch : {"llama", "qwen3next"}) {
    Session replayed({.arch = arch}), launched({.arch = arch}, false);
    kCases[GetParam()].steps(replayed);
    kCases[GetParam()].steps(launched);
    EXPECT_TRUE(test::same_bits(replayed.logits(), launched.logits())) << arch;
    EXPECT_GT(replayed.counts().replays, replayed.counts().recordings) << arch;
    EXPECT_EQ(launched.counts().recordings + launched.counts().replays, 0) << arch;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Replayed, testing::Range(size_t{0}, kCases.size()),
                         [](const auto& info) { return kCases[info.param].name; });

TEST(Recordings, AreMadeOnceForSteadySteps) {
  Session s({});
  s.step({{0, 1}});
  const gpu::DeviceCounts first = s.counts();
  s.steps(20, {{0, 1}});
  EXPECT_EQ(s.counts().recordings, first.recordings);
  EXPECT_EQ(s.counts().replays, first.replays + 20);
}

TEST(Recordings, AreMadeAgainWhereTheArenaGrew) {
  Session s({});
  s.steps(2, {{0, 1}});
  s.step({{1, 100}});
  const gpu::DeviceCounts before = s.counts();
  s.steps(2, {{0, 1}});
  EXPECT_LE(s.counts().recordings, before.recordings + 1);
  EXPECT_EQ(s.counts().replays, before.replays + 2);
}

// A token, a position and counts; the views and the tables of pages stay.
TEST(StepBlock, BringsWhatChangedAtOnce) {
  Session s({.n_layers = 4});
  for (int i = 0; i < 2; ++i) s.step({{0, 130}});
  s.step({{0, 1}});
  const gpu::DeviceCounts before = s.counts();
  s.steps(10, {{0, 1}});
  EXPECT_EQ(s.counts().brings, before.brings + 10);
  EXPECT_LE(s.counts().brought_bytes, before.brought_bytes + 10 * 256);
}

}  // namespace
}  // namespace skald::gpu_recording_test
