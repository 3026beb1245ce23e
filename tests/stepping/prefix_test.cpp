// Models whose sequences begin with tokens that see each other in both directions: these stay in one step, alone and beside
// other requests; and what cannot be is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stepping/compute.h"
#include "tests/engine/requests.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"

namespace skald {
namespace {

using testing::HasSubstr;

constexpr TokenId kEnd = 3;  // of the prefix, in a SmallModel

Model small_model() { return Model(test::load({.arch = "chatglm1", .n_kv_heads = 4})); }

/// `prefix` tokens, kEnd, and what follows it; ids other than kEnd.
std::vector<TokenId> tokens(int64_t prefix, int64_t after, uint64_t seed) {
  std::vector<TokenId> out = test::some_tokens(prefix + 1 + after, seed, 101);
  for (TokenId& t : out)
    if (t == kEnd) ++t;
  out[static_cast<size_t>(prefix)] = kEnd;
  return out;
}

Request request(int64_t prefix, uint64_t seed) {
  return {.prompt = tokens(prefix, static_cast<int64_t>(seed % 3) * 9, seed),
          .max_tokens = 20,
          .ignore_eos = true,
          .sampling = {.temperature = 0},
          .on_event = {}};
}

class Prefix : public testing::Test {
 protected:
  Runner& runner() { return compute_.runner(); }
  KvSequence sequence(int64_t prefix) {
    KvSequence s = runner().new_sequence();
    s.set_prefix(prefix);
    return s;
  }
  std::vector<float> logits_of_last(KvSequence& s, std::span<const TokenId> ids) {
    const StepItem item{&s, ids, 1};
    const Logits y = runner().run({&item, 1});
    return {y.row(0).begin(), y.row(0).end()};
  }

  const Model model_ = small_model();
  Compute compute_{*model_.loaded(), {.device = {.n_threads = 2}, .cache = {.n_ctx = 200}, .schedule = {.n_parallel = 3}}};
};

TEST_F(Prefix, EndsBeforeItsToken) {
  const LoadedModel& model = *model_.loaded();
  EXPECT_EQ(model.prefix_length(tokens(7, 4, 1)), 7);
  EXPECT_EQ(model.prefix_length(std::vector<TokenId>{5, kEnd, 5, kEnd}), 1) << "the first one counts";
  EXPECT_EQ(test::story_model().loaded()->prefix_length(std::vector<TokenId>{1, 2}), 0);
  for (const std::vector<TokenId>& none : {std::vector<TokenId>{5, 6}, {kEnd, 5}, {}}) {
    const Error e = test::error_of([&] { model.prefix_length(none); });
    EXPECT_EQ(e.code(), Errc::kBadInput);
    EXPECT_THAT(e.what(), HasSubstr("before token 3"));
  }
}

// Every token of it matters to the rows before, and none after it does.
TEST_F(Prefix, IsSeenInBothDirections) {
  const std::vector<TokenId> ids = tokens(6, 5, 1);
  const auto first_logits = [&](std::vector<TokenId> changed, int64_t rows) {
    KvSequence s = sequence(6);
    const StepItem item{&s, changed, rows};
    const Logits y = runner().run({&item, 1});
    return std::vector<float>(y.row(0).begin(), y.row(0).end());
  };
  std::vector<TokenId> within = ids, after = ids;
  within[5] += 7;
  after[7] += 7;
  EXPECT_NE(first_logits(within, 12), first_logits(ids, 12));
  EXPECT_EQ(first_logits(after, 12), first_logits(ids, 12));
}

TEST_F(Prefix, MayBeFollowedInStepsOfAnySize) {
  const std::vector<TokenId> ids = tokens(70, 30, 1);
  KvSequence whole = sequence(70);
  const std::vector<float> want = logits_of_last(whole, ids);
  for (const size_t step : {size_t{1}, size_t{9}}) {
    KvSequence cut = sequence(70);
    logits_of_last(cut, std::span(ids).first(70));
    std::vector<float> got;
    for (size_t at = 70; at < ids.size(); at += step)
      got = logits_of_last(cut, std::span(ids).subspan(at, std::min(step, ids.size() - at)));
    EXPECT_EQ(got, want);
  }
}

TEST_F(Prefix, IsRefusedInParts) {
  KvSequence s = sequence(6);
  const std::vector<TokenId> ids = tokens(6, 5, 1);
  const Error e = test::error_of([&] { logits_of_last(s, std::span(ids).first(5)); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_THAT(e.what(),
              HasSubstr("the first 6 tokens see each other in both directions and must be in one step, which has 5"));
  EXPECT_EQ(s.length(), 0);
  KvSequence other = sequence(6);
  EXPECT_EQ(logits_of_last(s, ids), logits_of_last(other, ids)) << "and nothing has changed";
}

// Steps have room for the longest prefix and little more, so that prompts must wait for each other and decode steps for
// them.
TEST_F(Prefix, GivesARequestTheSameTokensBesideOthers) {
  const std::vector<std::pair<int64_t, uint64_t>> requests = {{60, 1}, {3, 2}, {1, 3}, {64, 4}, {33, 5}, {62, 6}};
  std::vector<std::vector<TokenId>> want;
  for (const auto& [prefix, seed] : requests) {
    Engine engine(model_, {.device = {.n_threads = 1}, .cache = {.n_ctx = 200}});
    want.push_back(engine.generate(request(prefix, seed)).tokens);
    EXPECT_EQ(want.back().size(), 20u);
  }
  Engine engine(model_,
                {.device = {.n_threads = 2}, .cache = {.n_ctx = 200}, .schedule = {.n_parallel = 4, .n_ubatch = 64}});
  std::vector<Submission> submissions;
  for (const auto& [prefix, seed] : requests) submissions.push_back(engine.submit(request(prefix, seed)));
  for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(test::wait_for(submissions[i].result).tokens, want[i]) << i;
}

TEST_F(Prefix, OfARequestMustBeThereAndFitIntoAStep) {
  Engine engine(model_, {.device = {.n_threads = 1}, .cache = {.n_ctx = 200}, .schedule = {.n_ubatch = 64}});
  Request none = request(10, 1);
  none.prompt = {5, 6, 7};
  EXPECT_THAT(test::error_of([&] { engine.submit(none); }).what(),
              HasSubstr("the prompt has no part that ends before token 3"));
  const Error e = test::error_of([&] { engine.submit(request(65, 1)); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_STREQ(e.what(),
               "the prompt's first 65 tokens must be computed at once, but steps have 64: raise schedule.n_ubatch and "
               "schedule.n_batch");
  EXPECT_EQ(engine.generate(request(64, 1)).tokens.size(), 20u);
}

TEST_F(Prefix, RefusesContextShiftsAndFixedShapes) {
  const Error shift =
      test::error_of([&] { Engine(model_, {.cache = {.n_ctx = 200}, .schedule = {.context_shift = true}}); });
  EXPECT_EQ(shift.code(), Errc::kUnsupported);
  EXPECT_THAT(shift.what(), HasSubstr("schedule.context_shift"));
  EngineOptions fixed{.schedule = {.n_parallel = 1}};
  fixed.cache.static_shapes.context = 64;
  const Error shapes = test::error_of([&] { Engine(model_, fixed); });
  EXPECT_EQ(shapes.code(), Errc::kUnsupported);
  EXPECT_THAT(shapes.what(), HasSubstr("fixed shapes"));
}

}  // namespace
}  // namespace skald
