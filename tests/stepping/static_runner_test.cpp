// Steps with fixed shapes give what a Runner gives for a model whose layers see as many keys, bit for bit and at any length;
// and what the windows were copied for it.
#include "stepping/static_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "backend/cpu/cpu_backend.h"
#include "stepping/compute.h"
#include "tests/models/golden.h"
#include "tests/stepping/one_attention.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/tiers.h"

namespace skald {
namespace {

using test::OneAttention;
using Tokens = std::vector<TokenId>;

/// Outputs of the last token of a prompt of `n_prompt` tokens, computed as one step of the runner's, and of each token
/// after it.
std::vector<float> outputs(Stepper& runner, std::span<const TokenId> tokens, size_t n_prompt) {
  KvSequence sequence = runner.new_sequence();
  std::vector<float> out;
  for (size_t done = 0; done < tokens.size();) {
    const size_t n = done ? 1 : n_prompt;
    const StepItem item{&sequence, tokens.subspan(done, n), 1};
    const Logits y = runner.run({&item, 1});
    const std::span<const float> last = y.row(y.rows() - 1);
    out.insert(out.end(), last.begin(), last.end());
    done += n;
  }
  return out;
}

/// The same with a cache of pages, where the model's layers see `context` keys at most.
std::vector<float> paged(const StepModel& windowed, Backend& backend, std::span<const TokenId> tokens, size_t n_prompt) {
  Runner runner(windowed, backend, {.n_ctx = static_cast<int64_t>(tokens.size())});
  return outputs(runner, tokens, n_prompt);
}

int64_t narrower(int64_t window, int64_t context) { return window ? std::min(window, context) : context; }

void narrow(AttentionState& state, int64_t context) { state.window = narrower(state.window, context); }

Graph with_window(const Graph& from, int64_t context) {
  Graph to;
  for (const Node& n : from.nodes()) {
    std::vector<Tensor> in;
    for (int i : n.inputs) in.push_back({&to, i});
    if (n.source == Source::kInput) to.input(n.name, n.out);
    if (n.source == Source::kWeight) to.weight(n.name, n.out.tensor());
    if (n.source != Source::kOp) continue;
    Attrs attrs = n.attrs;
    if (n.op == &op_attention) {
      Attention a = attrs.get<Attention>();
      a.window.size = narrower(a.window.size, context);
      attrs = Attrs(a);
    }
    to.add(*n.op, attrs, in, n.name);
  }
  for (const GraphOutput& out : from.outputs()) to.give(out.node, out.name);
  to.states = from.states;
  for (StateSpec& state : to.states) narrow(std::get<AttentionState>(state), context);
  return to;
}

/// The model with a sliding window of `context` keys in each layer, where its own is not smaller.
StepModel with_window(StepModel model, int64_t context) {
  for (StateSpec& state : model.states) narrow(std::get<AttentionState>(state), context);
  model.graph = [graph = model.graph, context](const StepCapacity& capacity) {
    return with_window(graph(capacity), context);
  };
  return model;
}

struct Lengths {
  int64_t context;
  size_t n_prompt, n_tokens;
};

// Below, at and past the window, by single tokens and by chunks of the prompt, which are of 64.
constexpr Lengths kLengths[] = {{2, 1, 9},      {3, 3, 20},      {17, 5, 16},     {17, 5, 17},
                                {17, 5, 18},    {17, 40, 120},   {65, 64, 100},   {66, 64, 140},
                                {100, 99, 110}, {129, 130, 150}, {150, 149, 150}, {250, 200, 210}};

class StaticGolden : public testing::TestWithParam<std::string> {};

TEST_P(StaticGolden, GivesTheLogitsOfTheModelWithSuchAWindow) {
  const auto model = test::Golden(test::data_dir() / "golden" / GetParam()).load();
  if (model->has_prefix()) GTEST_SKIP() << "refused: see prefix_test.cpp";
  CpuBackend backend(2, {});
  for (const Lengths& l : kLengths) {
    SCOPED_TRACE(testing::Message() << "S " << l.context << ", prompt " << l.n_prompt << ", " << l.n_tokens << " tokens");
    const Tokens tokens = test::some_tokens(static_cast<int64_t>(l.n_tokens), 7, model->n_vocab());
    const std::vector<float> want = paged(with_window(model->step_model(), l.context), backend, tokens, l.n_prompt);
    for (const double reserve : {2.0, 1.5}) {
      StaticRunner runner(model->step_model(), backend,
                          {.static_shapes = {.context = l.context, .reserve = reserve, .scales = {}}});
      EXPECT_TRUE(test::same_bits(outputs(runner, tokens, l.n_prompt), want)) << "reserve " << reserve;
    }
  }
}

bool goes_static(const test::Golden& golden) {
  const std::vector<StateSpec> states = golden.load()->states();
  const std::vector<AttentionState> attention = attention_states(states);
  // Neither states nor an indexer's keys, which have no values.
  return attention.size() == states.size() &&
         std::ranges::none_of(attention, [](const AttentionState& l) { return l.d_v == 0; });
}

INSTANTIATE_TEST_SUITE_P(All, StaticGolden, testing::ValuesIn(test::golden_names(goes_static)),
                         [](const auto& test) { return test.param; });

using StaticTier = testing::TestWithParam<const Tier*>;

TEST_P(StaticTier, GivesTheLogitsOfTheModelWithSuchAWindow) {
  if (!GetParam()->supported()) GTEST_SKIP() << "this CPU lacks " << GetParam()->name;
  const auto model = test::load({});
  const Tokens tokens = test::some_tokens(150, 8, model->n_vocab());
  CpuBackend backend(2, GetParam()->name);
  const std::vector<float> want = paged(with_window(model->step_model(), 70), backend, tokens, 66);
  StaticRunner runner(model->step_model(), backend, {.static_shapes = {.context = 70, .scales = {}}});
  EXPECT_TRUE(test::same_bits(outputs(runner, tokens, 66), want));
}

INSTANTIATE_TEST_SUITE_P(All, StaticTier, testing::ValuesIn(tiers()), test::tier_name);

struct Case {
  const char* name;
  Attention a;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class StaticAttention : public testing::TestWithParam<Case> {};

TEST_P(StaticAttention, GivesWhatAttentionOverPagesGives) {
  CpuBackend backend(2, {});
  for (const Lengths& l : kLengths) {
    SCOPED_TRACE(testing::Message() << "S " << l.context << ", prompt " << l.n_prompt << ", " << l.n_tokens << " tokens");
    const OneAttention model(GetParam().a);
    Attention narrow = GetParam().a;
    narrow.window.size = narrower(narrow.window.size, l.context);
    const OneAttention windowed(narrow);
    const Tokens tokens = test::some_tokens(static_cast<int64_t>(l.n_tokens), 9, OneAttention::kTokens);
    StaticRunner runner(model.step_model(), backend, {.static_shapes = {.context = l.context, .scales = {}}});
    EXPECT_TRUE(
        test::same_bits(outputs(runner, tokens, l.n_prompt), paged(windowed.step_model(), backend, tokens, l.n_prompt)));
  }
}

TEST_P(StaticAttention, OfEightBitsIsClose) {
  CpuBackend backend(2, {});
  const OneAttention model(GetParam().a);
  const Tokens tokens = test::some_tokens(150, 10, OneAttention::kTokens);
  const auto run = [&](int64_t bits) {
    StaticRunner runner(model.step_model(), backend, {.static_shapes = {.context = 100, .bits = bits, .scales = {}}});
    return outputs(runner, tokens, 80);
  };
  EXPECT_TRUE(test::close_to(run(8), run(32), 0.12));
  EXPECT_TRUE(test::close_to(run(16), run(32), 5e-3));
}

Attention shape(int64_t heads, int64_t kv_heads, int64_t d_k, int64_t d_v) {
  return {.n_heads = heads, .n_kv_heads = kv_heads, .d_k = d_k, .d_v = d_v, .scale = 0.2f};
}
Attention with(Attention a, void (*change)(Attention&)) {
  change(a);
  return a;
}

INSTANTIATE_TEST_SUITE_P(
    All, StaticAttention,
    testing::Values(Case{"mha", shape(3, 3, 32, 32)}, Case{"gqa", shape(8, 2, 64, 48)},
                    Case{"mqa_odd", shape(5, 1, 80, 112)},
                    Case{"window", with(shape(4, 2, 32, 32), [](Attention& a) { a.window = {20}; })},
                    Case{"chunks", with(shape(4, 2, 32, 32),
                                        [](Attention& a) {
                                          a.window = {20, 20};
                                        })},
                    Case{"softcap", with(shape(4, 2, 32, 32), [](Attention& a) { a.softcap = 3; })},
                    Case{"alibi", with(shape(6, 6, 32, 32), [](Attention& a) { a.alibi_max_bias = 8; })},
                    Case{"sink_logits", with(shape(4, 2, 32, 32), [](Attention& a) { a.sink_logits = true; })}),
    [](const auto& test) { return test.param.name; });

/// A small model with the static runner that a test asks for, and the tokens that it is fed with.
class StaticRunnerTest : public testing::Test {
 protected:
  StaticRunner runner(const StaticParams& params) { return {model_->step_model(), backend_, {.static_shapes = params}}; }
  Tokens tokens(int64_t n) const { return test::some_tokens(n, 11, model_->n_vocab()); }
  int64_t token_bytes(const StaticRunner& r) const { return static_kv_size(r.manager().spec()).token_bytes; }

  std::shared_ptr<const LoadedModel> model_ = test::load({});
  CpuBackend backend_{2, {}};
};

TEST_F(StaticRunnerTest, CopiesTheWindowOnceInAsManyStepsAsItHasRows) {
  StaticRunner r = runner({.context = 10, .scales = {}});
  KvSequence sequence = r.new_sequence();
  for (int64_t step = 1; step <= 40; ++step) {
    const Tokens one = tokens(1);
    const StepItem item{&sequence, one, 0};
    r.run({&item, 1});
    EXPECT_EQ(r.manager().counters().shifts, step);
    EXPECT_EQ(r.manager().counters().copies, step / 9);
    EXPECT_EQ(r.manager().counters().copied_bytes, step / 9 * 9 * token_bytes(r));
  }
}

TEST_F(StaticRunnerTest, CopiesTwiceAsOftenWithTheSmallerReserve) {
  StaticRunner r = runner({.context = 9, .reserve = 1.5, .scales = {}});
  outputs(r, tokens(40), 1);
  EXPECT_EQ(r.manager().counters().tokens, 40);
  EXPECT_EQ(r.manager().counters().copies, 40 / 4);
  // What is copied first is half of the window, since the other half is padding.
  EXPECT_EQ(r.manager().counters().copied_bytes, (4 + 9 * 8) * token_bytes(r));
}

TEST_F(StaticRunnerTest, ShiftsOncePerChunkOfAPrompt) {
  StaticRunner r = runner({.context = 200, .scales = {}});
  outputs(r, tokens(150), 150);
  EXPECT_EQ(r.manager().counters().tokens, 150);
  EXPECT_EQ(r.manager().counters().shifts, 2 + 22);
  EXPECT_EQ(r.manager().counters().copies, 0);
}

TEST_F(StaticRunnerTest, ANewSequenceKnowsNothingOfTheLast) {
  StaticRunner r = runner({.context = 30, .scales = {}});
  const std::vector<float> once = outputs(r, tokens(50), 20);
  EXPECT_TRUE(test::same_bits(outputs(r, tokens(50), 20), once));
  EXPECT_EQ(r.manager().counters().tokens, 50);
}

TEST_F(StaticRunnerTest, ReportsTheBytesOfItsReserves) {
  for (const double reserve : {2.0, 1.5}) {
    StaticRunner r = runner({.context = 30, .reserve = reserve, .bits = 8, .scales = {}});
    outputs(r, tokens(35), 20);
    MemoryUse use;
    r.report(use);
    ASSERT_TRUE(use.static_use.has_value());
    EXPECT_EQ(use.static_use->bytes, static_kv_size(r.manager().spec()).bytes);
    EXPECT_EQ(use.keys() + use.values(), use.static_use->bytes);
    EXPECT_EQ(use.static_use->tokens, 35);
    EXPECT_EQ(use.static_use->scales.size(), 4u) << "two layers, keys and values";
    EXPECT_EQ(r.kv_storage(), "windows of 30 keys, i8");
  }
}

TEST_F(StaticRunnerTest, TakesTheScalesThatItWouldHaveFound) {
  StaticRunner found = runner({.context = 40, .bits = 8, .scales = {}});
  const std::vector<float> want = outputs(found, tokens(60), 20);
  MemoryUse use;
  found.report(use);
  StaticRunner given = runner({.context = 40, .bits = 8, .scales = use.static_use->scales});
  EXPECT_TRUE(test::same_bits(outputs(given, tokens(60), 20), want));
  std::vector<float> other = use.static_use->scales;
  for (float& scale : other) scale /= 8;  // most values do not fit
  StaticRunner narrow = runner({.context = 40, .bits = 8, .scales = other});
  EXPECT_FALSE(test::close_to(outputs(narrow, tokens(60), 20), want, 0.1));
}

TEST_F(StaticRunnerTest, TakesOneScaleOrTwoForAllLayers) {
  const auto with = [&](std::vector<float> scales) {
    StaticRunner r = runner({.context = 40, .bits = 8, .scales = std::move(scales)});
    return outputs(r, tokens(50), 20);
  };
  EXPECT_TRUE(test::same_bits(with({0.02f}), with({0.02f, 0.02f})));
  EXPECT_TRUE(test::same_bits(with({0.02f, 0.03f}), with({0.02f, 0.03f, 0.02f, 0.03f})));
  const Error e = test::error_of([&] { with({1, 2, 3}); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_STREQ(e.what(),
               "cache.static_shapes.scales: 3 numbers: want 1 for all, 2 for keys and values, or 4 for those of each layer");
}

TEST_F(StaticRunnerTest, RefusesIdsOutsideTheVocabulary) {
  StaticRunner r = runner({.context = 10, .scales = {}});
  const Tokens bad = {1, 101};
  const Error e = test::error_of([&] { outputs(r, bad, 2); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_THAT(e.what(), testing::HasSubstr("101"));
  EXPECT_EQ(outputs(r, tokens(3), 2).size(), 2u * 101) << "and goes on";
}

TEST_F(StaticRunnerTest, RefusesAWindowThatNoMemoryCanHold) {
  EXPECT_EQ(test::error_of([&] { runner({.context = int64_t{1} << 60, .scales = {}}); }).code(), Errc::kBadInput);
}

}  // namespace
}  // namespace skald
