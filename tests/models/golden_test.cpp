// Every golden model on every tier: logits of prefill and decode, short and long, and greedy ids, within the README's
// limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "backend/cpu/cpu_backend.h"
#include "kernels/api/tier.h"
#include "tests/models/golden.h"
#include "tests/support/close_to.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/tiers.h"

namespace skald {
namespace {

using test::Golden;
using test::Matrix;

/// The largest and the root of the mean square difference that a kind of arithmetic may cause for logits of unit spread.
struct Limits {
  double largest, rms;
  double margin;  // the best logit stays the best when it leads by this much
};

Limits limits_of(ActFormat activations) {
  switch (activations) {
    case ActFormat::kF32:
      return {5e-4, 5e-4, 1e-3};
    case ActFormat::kQ16:
      return {3e-2, 1e-2, 6e-2};
    case ActFormat::kBf16:
      return {0.15, 0.15, 0.3};
    case ActFormat::kQ8:
      break;
  }
  return {0.5, 0.08, 0.5};
}

/// The arithmetic of the matrices: that of the storage format on this tier, the worst where tensors differ. `acts` is the
/// kernels' act or packed_act.
Limits limits_of(const LoadedModel& model, const std::array<ActFormat, kMaxFormats>& acts, double logit_std) {
  Limits worst = limits_of(ActFormat::kF32);
  for (const auto& [name, w] : model.weights().weights)
    if (w.shape.rank() >= 2) {
      const Limits l = limits_of(acts[w.type->id]);
      if (l.largest > worst.largest) worst = l;
    }
  const double scale = std::max(1.0, logit_std);
  return {worst.largest * scale, worst.rms * scale, worst.margin * scale};
}

double rms_difference(std::span<const float> got, std::span<const float> want) {
  double squares = 0;
  for (size_t i = 0; i < want.size(); ++i)
    squares += std::pow(static_cast<double>(got[i]) - static_cast<double>(want[i]), 2);
  return std::sqrt(squares / static_cast<double>(want.size()));
}

testing::AssertionResult within(std::span<const float> got, std::span<const float> want, const Limits& limits) {
  if (testing::AssertionResult close = test::close_to(got, want, limits.largest); !close) return close;
  const double rms = rms_difference(got, want);
  if (!(rms <= limits.rms))
    return testing::AssertionFailure() << "root mean square difference " << rms << ", limit " << limits.rms;
  return testing::AssertionSuccess();
}

TokenId argmax(std::span<const float> row) { return static_cast<TokenId>(std::ranges::max_element(row) - row.begin()); }

std::vector<TokenId> joined(std::vector<TokenId> a, const std::vector<TokenId>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The first n tokens that greedy decoding gives after the prompt.
std::vector<TokenId> greedy(Runner& runner, const std::vector<TokenId>& prompt, size_t n, int64_t prefix = 0) {
  KvSequence sequence = runner.new_sequence();
  sequence.set_prefix(prefix);
  std::vector<TokenId> out, next = prompt;
  while (out.size() < n) {
    const StepItem item{&sequence, next, 1};
    const Logits logits = runner.run({&item, 1});
    out.push_back(argmax(logits.row(0)));
    next = {out.back()};
  }
  return out;
}

class GoldenTest : public testing::TestWithParam<std::tuple<const Tier*, std::string>> {
 protected:
  void SetUp() override {
    if (!tier().supported()) GTEST_SKIP() << "this CPU lacks " << tier().name;
    model_ = golden_.load();
    backend_.emplace(2, tier().name);
    limits_ = limits_of(*model_, backend_->kernels().packed_act, golden_.logit_std);
  }
  const Tier& tier() const { return *std::get<0>(GetParam()); }
  Runner runner(const std::string& cache = "f32") {
    return {model_->step_model(), *backend_, {.n_ctx = 256, .type_k = cache, .type_v = cache}, {.n_parallel = 2}};
  }
  std::vector<float> logits_of(Runner& r, std::span<const TokenId> ids, int64_t step, int64_t decode_from) const {
    return test::logits_of(r, ids, step, decode_from, model_->prefix_length(ids));
  }

  /// The rows of the golden long logits, out of the logits of all long_ids.
  std::vector<float> at_long_positions(const std::vector<float>& logits) const {
    std::vector<float> out;
    for (int64_t p : golden_.long_positions) {
      const auto first = logits.begin() + p * model_->n_vocab();
      out.insert(out.end(), first, first + model_->n_vocab());
    }
    return out;
  }

  Golden golden_{test::data_dir() / "golden" / std::get<1>(GetParam())};
  std::shared_ptr<const LoadedModel> model_;
  std::optional<CpuBackend> backend_;
  Limits limits_{};
};

TEST_P(GoldenTest, LogitsOfPrefillAndDecode) {
  Runner r = runner();
  const Matrix want = golden_.logits("logits");
  const auto n = static_cast<int64_t>(golden_.prompt_ids.size());
  ASSERT_EQ(want.rows, n);
  ASSERT_EQ(want.cols, model_->n_vocab());
  for (const auto& [step, decode_from] : {std::pair{n, n}, {n, n / 2}, {int64_t{7}, n}, {int64_t{1}, n}})
    EXPECT_TRUE(within(logits_of(r, golden_.prompt_ids, step, decode_from), want.values, limits_))
        << "steps of " << step << ", decode from " << decode_from;
}

TEST_P(GoldenTest, LogitsOfWeightsAsTheyLie) {
  CpuBackend rows(2, tier().name, {.repack = false});
  Runner r(model_->step_model(), rows, {.n_ctx = 256, .type_k = "f32", .type_v = "f32"});
  const auto n = static_cast<int64_t>(golden_.prompt_ids.size());
  const Limits limits = limits_of(*model_, rows.kernels().act, golden_.logit_std);
  EXPECT_TRUE(within(logits_of(r, golden_.prompt_ids, n, n / 2), golden_.logits("logits").values, limits));
}

TEST_P(GoldenTest, LongLogits) {
  Runner r = runner();
  const Matrix want = golden_.logits("long_logits");
  for (const auto& [step, decode_from] : {std::pair<int64_t, int64_t>{200, 200}, {64, 190}, {7, 200}}) {
    const std::vector<float> got = at_long_positions(logits_of(r, golden_.long_ids, step, decode_from));
    EXPECT_TRUE(within(got, want.values, limits_)) << "steps of " << step << ", decode from " << decode_from;
  }
}

// A decode row of one sequence beside all of another's prompt.
TEST_P(GoldenTest, LogitsOfTwoSequencesInAStep) {
  Runner r = runner();
  const std::span prompt(golden_.prompt_ids);
  KvSequence first = r.new_sequence(), second = r.new_sequence();
  first.set_prefix(model_->prefix_length(prompt));
  second.set_prefix(model_->prefix_length(golden_.long_ids));
  const StepItem begin{&first, prompt.first(prompt.size() - 1), 0};
  r.run({&begin, 1});
  const std::vector<StepItem> both = {{&second, golden_.long_ids, static_cast<int64_t>(golden_.long_ids.size())},
                                      {&first, prompt.last(1), 1, true}};
  const Logits logits = r.run(both);
  const std::vector<float> got(logits.all().begin(), logits.all().end());
  EXPECT_TRUE(within(at_long_positions(got), golden_.logits("long_logits").values, limits_));
  const auto n_vocab = static_cast<size_t>(model_->n_vocab());
  const Matrix want = golden_.logits("logits");
  EXPECT_TRUE(within(std::span(got).last(n_vocab), std::span(want.values).last(n_vocab), limits_));
}

class GoldenWindow : public GoldenTest {};

TEST_P(GoldenWindow, IsThere) {
  Runner r = runner();
  const std::vector<float> got = at_long_positions(logits_of(r, golden_.long_ids, 200, 200));
  EXPECT_GT(rms_difference(got, golden_.logits("long_logits_no_window").values), 0.1);
}

// Prompt and greedy ids in one pass: the best logit is the next id wherever the margin is larger than the arithmetic's
// error.
TEST_P(GoldenTest, TeacherForcedIds) {
  Runner r = runner();
  const std::vector<TokenId> ids = joined(golden_.prompt_ids, golden_.greedy_ids);
  const std::vector<float> logits = logits_of(r, ids, static_cast<int64_t>(ids.size()), static_cast<int64_t>(ids.size()));
  const auto n_vocab = static_cast<size_t>(model_->n_vocab());
  int decided = 0;
  for (size_t i = 0; i < golden_.greedy_ids.size(); ++i) {
    if (golden_.greedy_margins[i] <= limits_.margin) continue;
    ++decided;
    EXPECT_EQ(argmax(std::span(logits).subspan((golden_.prompt_ids.size() - 1 + i) * n_vocab, n_vocab)),
              golden_.greedy_ids[i])
        << i;
  }
  EXPECT_GT(decided, 0);
}

class GoldenFloats : public GoldenTest {};

TEST_P(GoldenFloats, GreedyIds) {
  Runner r = runner();
  const int64_t prefix = model_->prefix_length(golden_.prompt_ids);
  EXPECT_EQ(greedy(r, golden_.prompt_ids, golden_.greedy_ids.size(), prefix), golden_.greedy_ids);
}

TEST_P(GoldenTest, LogitsWithAHalfPrecisionCache) {
  Runner r = runner("f16");
  // Keys and values have 13 bits less than the floats that made such errors of the reference.
  const double cache = std::max(3e-2 * std::max(1.0, golden_.logit_std), std::ldexp(golden_.f32_error, 12));
  const Limits limits{std::max(limits_.largest, cache), std::max(limits_.rms, cache), limits_.margin};
  EXPECT_TRUE(within(logits_of(r, golden_.prompt_ids, 24, 12), golden_.logits("logits").values, limits));
  EXPECT_TRUE(
      within(at_long_positions(logits_of(r, golden_.long_ids, 100, 190)), golden_.logits("long_logits").values, limits));
}

std::string case_name(const testing::TestParamInfo<std::tuple<const Tier*, std::string>>& info) {
  return std::string(std::get<0>(info.param)->name) + "_" + std::get<1>(info.param);
}

/// Every tier with the golden models that a test is about.
template <class Wanted>
auto on_every_tier(Wanted wanted) {
  return testing::Combine(testing::ValuesIn(tiers()), testing::ValuesIn(test::golden_names(wanted)));
}

bool any(const Golden&) { return true; }
bool has_window(const Golden& g) { return std::filesystem::exists(g.folder / "long_logits_no_window.npy"); }
bool is_exact(const Golden& g) { return g.storage == "F32" || g.storage == "F16"; }

INSTANTIATE_TEST_SUITE_P(All, GoldenTest, on_every_tier(any), case_name);
INSTANTIATE_TEST_SUITE_P(All, GoldenWindow, on_every_tier(has_window), case_name);
INSTANTIATE_TEST_SUITE_P(All, GoldenFloats, on_every_tier(is_exact), case_name);

// encoders_test has these.
bool reads_only(const Family* f) { return !test::SmallModel{.arch = std::string(f->arch)}.graph({}).causal; }
// variants_test has the language models of vision models, which are other families'.
bool is_of_vision(const Family* f) { return f->arch.starts_with("qwen2vl") || f->arch.starts_with("qwen3vl"); }

TEST(GoldenData, CoversTheFamilies) {
  for (const Family* family : families()) {
    const auto names = test::golden_names([&](const Golden& g) { return g.arch == family->arch; });
    EXPECT_TRUE(is_of_vision(family) || !names.empty() || reads_only(family)) << family->arch;
  }
}

class Stories : public testing::TestWithParam<const Tier*> {};

TEST_P(Stories, GreedyIdsOfATrainedModel) {
  const std::filesystem::path folder = test::shared_dir() / "golden/stories260K";
  if (!std::filesystem::exists(folder / "model.gguf")) GTEST_SKIP() << "no " << folder;
  if (!GetParam()->supported()) GTEST_SKIP() << "this CPU lacks " << GetParam()->name;
  const auto expected = nlohmann::json::parse(std::ifstream(folder / "expected.json"));
  const auto start = expected.at("start_ids").get<std::vector<TokenId>>(),
             want = expected.at("greedy_ids").get<std::vector<TokenId>>();
  ASSERT_EQ(want.size(), 200u);
  const auto model = Golden::load_gguf(folder / "model.gguf");
  CpuBackend backend(2, GetParam()->name);
  Runner runner(model->step_model(), backend, {.n_ctx = 256, .type_k = "f32", .type_v = "f32"});
  EXPECT_EQ(greedy(runner, start, want.size()), want);
}

INSTANTIATE_TEST_SUITE_P(All, Stories, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
