// Ints that a step brings, by the names that a graph asks for.
#include "stepping/step_inputs.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "kv/cache.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

using testing::ElementsAre;

class StepInputsTest : public testing::Test {
 protected:
  KvSequence sequence(int64_t length) {
    KvSequence s(cache_);
    s.set_length(length);
    return s;
  }
  void ask(const char* name, Rows rows = Rows::kTokens) { graph_.input(name, {&format_i32, Shape{8}, rows}); }
  static std::vector<int32_t> first(const int32_t* ints, size_t n) { return {ints, ints + n}; }

  KvCache cache_{make_kv_spec({}, {}, 100), {.max_keys = 100}};
  Graph graph_;
  const std::vector<TokenId> three_{7, 8, 9}, two_{5, 6};
};

TEST_F(StepInputsTest, AreFilledInTheGraphsOrder) {
  ask("output_rows", Rows::kOutputs);
  ask("positions");
  ask("tokens");
  KvSequence a = sequence(0), b = sequence(40);
  const StepItem items[] = {{&a, three_, 1}, {&b, two_, 2}};
  StepInputs inputs(graph_);
  const std::span<const int32_t* const> filled = inputs.fill(items);
  ASSERT_EQ(filled.size(), 3u);
  EXPECT_THAT(first(filled[0], 3), ElementsAre(2, 3, 4));
  EXPECT_THAT(first(filled[1], 5), ElementsAre(0, 1, 2, 40, 41));
  EXPECT_THAT(first(filled[2], 5), ElementsAre(7, 8, 9, 5, 6));
}

TEST_F(StepInputsTest, FollowTheSequence) {
  ask("prefix_positions");
  ask("suffix_positions");
  ask("kept_positions");
  KvSequence with_prefix = sequence(0), shifted = sequence(20);
  with_prefix.set_prefix(2);
  shifted.drop(4, 10);
  const StepItem items[] = {{&with_prefix, three_, 1}, {&shifted, two_, 1}};
  StepInputs inputs(graph_);
  const std::span<const int32_t* const> filled = inputs.fill(items);
  EXPECT_THAT(first(filled[0], 3), ElementsAre(0, 1, 1));
  EXPECT_THAT(first(filled[1], 3), ElementsAre(0, 0, 1));
  EXPECT_THAT(first(filled[2], 5), ElementsAre(0, 1, 2, 10, 11));
}

TEST_F(StepInputsTest, BoundInputsAreNotTheirs) {
  ask("tokens");
  ask("blk.0.past_keys");
  graph_.bound = {1};
  EXPECT_EQ(StepInputs(graph_).fill({}).size(), 1u);
}

TEST_F(StepInputsTest, AnUnknownNameIsOurBug) {
  ask("phases_of_the_moon");
  const Error e = test::error_of([&] { StepInputs inputs(graph_); });
  EXPECT_EQ(e.code(), Errc::kInternal);
  EXPECT_STREQ(e.what(), "unknown graph input phases_of_the_moon");
}

}  // namespace
}  // namespace skald
