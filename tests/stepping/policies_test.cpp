// Items of a step that say for themselves how they attend: sparse drafts and dense checks, alone and beside others.
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "stepping/runner.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"

namespace skald::policies_test {
namespace {

using Numbers = std::vector<float>;

const SparqParams kDense{}, kFew{.k1 = 8, .k2 = 32, .mean = {}}, kFewer{.k1 = 4, .k2 = 16, .mean = {}};

class Policies : public testing::Test {
 protected:
  static constexpr int64_t kPrompt = 200;

  Runner runner(const SparqParams& sparq) {
    return {model_->step_model(), backend_, {.n_ctx = 512, .sparq = sparq}, {.n_parallel = 3}};
  }
  static Numbers run(Runner& r, const std::vector<StepItem>& items) {
    const Logits out = r.run(items);
    Numbers all;
    for (int64_t i = 0; i < out.rows(); ++i) all.insert(all.end(), out.row(i).begin(), out.row(i).end());
    return all;
  }
  KvSequence after_prompt(Runner& r) {
    KvSequence s = r.new_sequence();
    run(r, {{&s, ids(0, kPrompt), 0}});
    return s;
  }
  std::span<const TokenId> ids(int64_t from, int64_t n) const {
    return std::span(ids_).subspan(static_cast<size_t>(from), static_cast<size_t>(n));
  }
  static StepItem generated(KvSequence& s, std::span<const TokenId> tokens, const SparqParams* sparq) {
    return {.kv = &s, .tokens = tokens, .n_outputs = std::ssize(tokens), .decode = true, .sparq = sparq};
  }

  test::SmallModel small_{.n_layers = 2};
  std::shared_ptr<const LoadedModel> model_ = test::load(small_);
  CpuBackend backend_{2, ""};
  std::vector<TokenId> ids_ = test::some_tokens(300, 1, small_.n_vocab);
};

TEST_F(Policies, EachItemOfAStepHasTheBitsThatItHasAlone) {
  Runner r = runner(kFew);
  const SparqParams* const ways[] = {&kDense, &kFew, &kFewer};
  Numbers alone;
  for (const SparqParams* way : ways) {
    KvSequence s = after_prompt(r);
    for (const float x : run(r, {generated(s, ids(kPrompt, 2), way)})) alone.push_back(x);
  }
  std::vector<KvSequence> s;
  for (int i = 0; i < 3; ++i) s.push_back(after_prompt(r));
  const Numbers together = run(r, {generated(s[0], ids(kPrompt, 2), ways[0]), generated(s[1], ids(kPrompt, 2), ways[1]),
                                   generated(s[2], ids(kPrompt, 2), ways[2])});
  EXPECT_TRUE(test::same_bits(together, alone));
  const auto part = [&](size_t i) { return std::span(alone).subspan(i * alone.size() / 3, alone.size() / 3); };
  EXPECT_FALSE(test::same_bits(part(0), part(1))) << "few keys give other logits";
  EXPECT_FALSE(test::same_bits(part(1), part(2)));
}

TEST_F(Policies, AnItemWithoutOneDecodesAsTheRunnerWasMadeFor) {
  Runner r = runner(kFew);
  KvSequence a = after_prompt(r), b = after_prompt(r);
  EXPECT_TRUE(
      test::same_bits(run(r, {generated(a, ids(kPrompt, 1), nullptr)}), run(r, {generated(b, ids(kPrompt, 1), &kFew)})));
}

// Dense rows of a runner that decodes sparsely, against one that does not.
TEST_F(Policies, ACheckAfterSparseDraftsHasTheBitsOfDenseDecoding) {
  CacheOptions rows{.n_ctx = 512, .layout = "rows"};
  Runner dense(model_->step_model(), backend_, rows, {.n_parallel = 3}), sparse = runner(kFew);
  KvSequence plain = after_prompt(dense), checked = after_prompt(sparse);
  for (int64_t at = kPrompt; at < kPrompt + 80; at += 4) {
    for (int64_t i = 0; i < 4; ++i) {
      StepItem draft = generated(checked, ids(at + i, 1), &kFew);
      draft.draft = true;
      run(sparse, {draft});
    }
    ASSERT_TRUE(checked.truncate(at));
    const Numbers want = run(dense, {generated(plain, ids(at, 4), nullptr)});
    EXPECT_TRUE(test::same_bits(run(sparse, {generated(checked, ids(at, 4), &kDense)}), want)) << at;
  }
}

TEST_F(Policies, KeysOfDraftsAreTakenByNoOther) {
  Runner r = runner(kFew);
  KvSequence s = after_prompt(r);
  const auto adopted = [&] {
    KvSequence other = r.new_sequence();
    const std::vector<SharedPages> path{s.share(0, s.length())};
    return other.adopt(path, 256, {.keys = ReusePolicy::Keys::kAll});
  };
  StepItem draft = generated(s, ids(kPrompt, 60), &kFew);
  draft.draft = true;
  run(r, {draft});
  EXPECT_EQ(adopted(), kPrompt);
  ASSERT_TRUE(s.truncate(kPrompt));
  run(r, {generated(s, ids(kPrompt, 60), &kDense)});
  EXPECT_EQ(adopted(), 256) << "as many as were asked for";
}

TEST_F(Policies, ACacheWithoutAnIndexRejectsThemByName) {
  Runner r = runner(kDense);
  KvSequence s = after_prompt(r);
  const Error e = test::error_of([&] { run(r, {generated(s, ids(kPrompt, 1), &kFew)}); });
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_STREQ(e.what(), "the cache is not laid out for this way of sparse decoding: its index or its sums are missing");
  EXPECT_EQ(s.length(), kPrompt);
  EXPECT_EQ(test::error_of([&] { r.set_sparq(kFew); }).code(), Errc::kUnsupported);
}

TEST_F(Policies, PositionsOfAnItemTurnItsKeysAndChangeNoPlace) {
  Runner r = runner(kDense);
  std::vector<int32_t> places, later;
  for (int32_t i = 0; i < 20; ++i) {
    places.push_back(i);
    later.push_back(i + 100);
  }
  const auto logits = [&](std::span<const int32_t> positions) {
    KvSequence s = r.new_sequence();
    const Numbers out = run(r, {{.kv = &s, .tokens = ids(0, 20), .n_outputs = 1, .positions = positions}});
    EXPECT_EQ(s.length(), 20);
    return out;
  };
  const Numbers usual = logits({});
  EXPECT_TRUE(test::same_bits(logits(places), usual));
  EXPECT_TRUE(test::close_to(logits(later), usual, 1e-2)) << "only distances count";
  std::swap(places[3], places[19]);
  EXPECT_FALSE(test::close_to(logits(places), usual, 1e-2));
}

TEST_F(Policies, AnItemThatTheGraphCannotTakeChangesNothing) {
  Runner r = runner(kDense);
  KvSequence s = r.new_sequence();
  const std::vector<int32_t> tree{-1, 0, 0, 1, 1};
  EXPECT_EQ(test::error_of([&] { run(r, {{.kv = &s, .tokens = ids(0, 5), .n_outputs = 1, .parents = tree}}); }).code(),
            Errc::kUnsupported);
  EXPECT_EQ(s.length(), 0);
  EXPECT_TRUE(KvRoom{}.covers(s.owned()));
}

// Of a model that gives logits.
TEST_F(Policies, StatesComeBesideLogits) {
  StepModel with_states = model_->step_model();
  with_states.output = output_names::kStates;
  const auto again = test::load(small_);
  StepModel states_alone = again->step_model();
  states_alone.output = output_names::kStates;
  states_alone.graph = [&again](StepCapacity capacity) {
    capacity.states = true;
    return again->build_graph(capacity);
  };
  Runner beside(with_states, backend_, {.n_ctx = 256}), alone(states_alone, backend_, {.n_ctx = 256});
  KvSequence a = beside.new_sequence(), b = alone.new_sequence();
  const Numbers states = run(beside, {{&a, ids(0, 30), 3}});
  EXPECT_EQ(std::ssize(states), 3 * small_.d_model);
  EXPECT_TRUE(test::same_bits(states, run(alone, {{&b, ids(0, 30), 3}})));
}

}  // namespace
}  // namespace skald::policies_test
