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
  static std::vector<int32_t> first(const StepValue& value, size_t n) {
    const int32_t* ints = std::get<const int32_t*>(value.data);
    return {ints, ints + n};
  }

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
  const std::span<const StepValue> filled = inputs.fill(items);
  ASSERT_EQ(filled.size(), 3u);
  EXPECT_EQ(filled[0].name, "output_rows");
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
  const std::span<const StepValue> filled = inputs.fill(items);
  EXPECT_THAT(first(filled[0], 3), ElementsAre(0, 1, 1));
  EXPECT_THAT(first(filled[1], 3), ElementsAre(0, 0, 1));
  EXPECT_THAT(first(filled[2], 5), ElementsAre(0, 1, 2, 10, 11));
}

TEST_F(StepInputsTest, ItemsBringPositionsOfTheirOwn) {
  ask("positions");
  ask("axis_positions");
  KvSequence a = sequence(3), b = sequence(0);
  const std::vector<int32_t> places{4, 4, 9}, axes{0, 1, 2, 0, 1, 3};
  const StepItem items[] = {{.kv = &a, .tokens = three_, .n_outputs = 0, .positions = places},
                            {.kv = &b, .tokens = two_, .n_outputs = 0}};
  StepInputs inputs(graph_);
  const std::span<const StepValue> filled = inputs.fill(items);
  EXPECT_THAT(first(filled[0], 5), ElementsAre(4, 4, 9, 0, 1));
  EXPECT_THAT(first(filled[1], 15), ElementsAre(4, 4, 4, 4, 4, 4, 9, 9, 9, 0, 0, 0, 1, 1, 1));
  const StepItem image{.kv = &b, .tokens = two_, .n_outputs = 0, .positions = axes};
  EXPECT_THAT(first(inputs.fill({&image, 1})[1], 6), ElementsAre(0, 1, 2, 0, 1, 3));
}

TEST_F(StepInputsTest, ParentsAreCountedByRowsOfTheStep) {
  ask("parents");
  KvSequence a = sequence(3), b = sequence(5);
  const std::vector<int32_t> tree{-1, 0, 0};
  const StepItem items[] = {{.kv = &b, .tokens = two_, .n_outputs = 0},
                            {.kv = &a, .tokens = three_, .n_outputs = 0, .parents = tree}};
  StepInputs inputs(graph_);
  for (const StepItem& item : items) inputs.check(item);
  const std::span<const StepValue> filled = inputs.fill(items);
  EXPECT_THAT(first(filled[0], 5), ElementsAre(-1, 0, -1, 2, 2));
}

TEST_F(StepInputsTest, ValuesThatTheGraphDoesNotTakeAreRejectedByName) {
  ask("tokens");
  KvSequence a = sequence(3);
  const StepInputs inputs(graph_);
  const std::vector<int32_t> places{4, 4, 9}, axes(9), tree{-1, 0, 0}, chain{-1, 0, 1};
  const auto error = [&](const StepItem& item) { return std::string(test::error_of([&] { inputs.check(item); }).what()); };
  const StepItem plain{.kv = &a, .tokens = three_, .n_outputs = 0};
  StepItem item = plain;
  item.positions = places;
  EXPECT_EQ(error(item), "this model's graph takes no positions");
  item.positions = axes;
  EXPECT_EQ(error(item), "this model's graph takes no axis_positions");
  item = plain;
  item.parents = tree;
  EXPECT_EQ(error(item), "this model's graph takes no parents");
  item.parents = chain;
  inputs.check(item);
}

TEST_F(StepInputsTest, WrongCountsAreRejected) {
  for (const char* name : {"positions", "parents"}) ask(name);
  KvSequence a = sequence(3);
  const StepInputs inputs(graph_);
  const std::vector<int32_t> two{0, 1}, forward{-1, 2, 0};
  const auto error = [&](const StepItem& item) { return std::string(test::error_of([&] { inputs.check(item); }).what()); };
  EXPECT_EQ(error({.kv = &a, .tokens = three_, .n_outputs = 0, .positions = two}),
            "2 positions for 3 tokens: want one per token, or 3");
  EXPECT_EQ(error({.kv = &a, .tokens = three_, .n_outputs = 0, .parents = two}), "2 parents for 3 tokens");
  EXPECT_EQ(error({.kv = &a, .tokens = three_, .n_outputs = 0, .parents = forward}),
            "the parent of token 1 is 2: want one before it, or -1");
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
