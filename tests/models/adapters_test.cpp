// Every golden model with an adapter on each weight that can have one: the logits of the model whose weights were changed
// instead, and the same bits alone and beside other rows, on one device and on several.
#include <gtest/gtest.h>

#include <cmath>

#include "backend/cpu/cpu_backend.h"
#include "backend/split_backend.h"
#include "quant/registry.h"
#include "stepping/runner.h"
#include "tests/models/edited_golden.h"
#include "tests/support/close_to.h"
#include "tests/support/faulting_cpu.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/random_adapter.h"
#include "tests/support/tiers.h"

namespace skald::adapters_test {
namespace {

using test::EditedGolden;
using test::Golden;
using Values = std::vector<float>;

Values decoded(const EditedGolden::Tensor& t) {
  Values out(static_cast<size_t>(t.shape.elements()));
  find_format(t.type)->decode(t.data.data(), out.data(), std::ssize(out));
  return out;
}

float spread_of(const Values& values) {
  double squares = 0;
  for (const float x : values) squares += static_cast<double>(x) * x;
  return static_cast<float>(std::sqrt(squares / static_cast<double>(values.size())));
}

// w (m, n, k) += factor B A; of a table (n, k), += factor A B^T.
void merge(Values& w, const Shape& shape, const LowRank& change, bool table) {
  const Values a = change.a.values(), b = change.b.values();
  const int64_t k = shape.back(), n = shape[shape.rank() - 2], m = shape.elements() / (n * k), r = change.rank();
  const auto at = [](const Values& x, int64_t i) { return x[static_cast<size_t>(i)]; };
  for (int64_t e = 0; e < m; ++e)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t c = 0; c < k; ++c) {
        double sum = 0;
        for (int64_t j = 0; j < r; ++j)
          sum += table ? at(a, i * r + j) * at(b, c * r + j)
                       : static_cast<double>(at(b, (e * n + i) * r + j)) * at(a, (e * r + j) * k + c);
        w[static_cast<size_t>((e * n + i) * k + c)] += static_cast<float>(change.factor * sum);
      }
}

struct AdaptedModel {
  explicit AdaptedModel(const std::string& name)
      : edited_(name), model_(edited_.golden.load()), adapter_(std::make_shared<Adapter>()) {
    uint64_t seed = 1;
    for (const auto& [name, site] : sites_of(model_->build_graph({1, 1}))) {
      if (!edited_.has(name) && name != "output.weight") continue;  // the file has it as a part of another
      const EditedGolden::Tensor& weight = edited_.tensors.at(edited_.has(name) ? name : "token_embd.weight");
      adapter_->changes.emplace(name, test::random_change(name, site, 0.5f * spread_of(decoded(weight)), seed += 2));
    }
  }

  // In floats. A tied output matrix becomes a tensor of its own.
  std::shared_ptr<const LoadedModel> merged() {
    const std::map<std::string, Site> sites = sites_of(model_->build_graph({1, 1}));
    const auto before = edited_.tensors;
    for (const auto& [name, change] : adapter_->changes) {
      const EditedGolden::Tensor& old = before.at(before.contains(name) ? name : "token_embd.weight");
      Values w = decoded(old);
      merge(w, sites.at(name).shape, change, sites.at(name).table);
      const auto bytes = std::as_bytes(std::span(w));
      edited_.tensors[name] = {old.shape, format_f32.id, {bytes.begin(), bytes.end()}};
    }
    return edited_.load();
  }
  Values logits(const LoadedModel& model, Backend& backend, float scale) const {
    Runner runner(model.step_model(), backend, kCache);
    if (scale != 0) runner.set_adapters({{{runner.adapt(adapter_), scale, 0}}});
    return test::logits_of(runner, ids(), 16, 20, model.prefix_length(ids()));
  }
  const std::vector<TokenId>& ids() const { return edited_.golden.prompt_ids; }

  static inline const CacheOptions kCache = {.n_ctx = 256, .type_k = "f32", .type_v = "f32"};
  EditedGolden edited_;
  std::shared_ptr<const LoadedModel> model_;
  std::shared_ptr<Adapter> adapter_;
};

class AdaptedGolden : public testing::TestWithParam<std::string>, protected AdaptedModel {
 protected:
  AdaptedGolden() : AdaptedModel(GetParam()) {}
};

TEST_P(AdaptedGolden, GivesTheLogitsOfTheMergedModel) {
  CpuBackend exact(1, "", {.exact = true});
  const Values got = logits(*model_, exact, 1);
  EXPECT_FALSE(test::close_to(got, logits(*model_, exact, 0), 0.1 * edited_.golden.logit_std));
  // Rows are rounded where the model's weights are quantised, and those of the merged model are not.
  const double limit = edited_.golden.storage.starts_with("Q") ? 0.5 : 2e-3;
  EXPECT_TRUE(test::close_to(got, logits(*merged(), exact, 0), limit * std::max(1.0, Golden::spread(got))));
}

TEST_P(AdaptedGolden, GivesTheBitsOfOneDeviceOnTwo) {
  CpuBackend one(2, "");
  const Values want = logits(*model_, one, 0.5);
  EXPECT_TRUE(test::same_bits(logits(*model_, *test::two_memories(), 0.5), want));
}

// Prompts and generated tokens, of no adapter, of one, and of two at once.
TEST_P(AdaptedGolden, GivesRowsInABatchTheBitsThatTheyHaveAlone) {
  if (model_->has_prefix()) GTEST_SKIP() << "its prompts are computed at once";
  CpuBackend backend(2, "");
  Runner runner(model_->step_model(), backend, {.n_ctx = 256, .type_k = "f32", .type_v = "f32"}, {.n_parallel = 5});
  const auto adapted = runner.adapt(adapter_);
  const std::vector<AdapterMix> mixes = {
      {}, {{{adapted, 1, 0}}}, {{{adapted, 0.5, 0}}}, {{{adapted, 1, 0}, {adapted, -0.25, 0}}}, {{{adapted, 1, 5}}}};
  const auto outputs = [&](std::span<const AdapterMix> of) {
    std::vector<KvSequence> sequences;
    for (size_t i = 0; i < of.size(); ++i) sequences.push_back(runner.new_sequence());
    std::vector<Values> out(of.size());
    for (const auto& [first, n] : {std::pair<size_t, size_t>(0, 12), {12, 1}, {13, 1}}) {
      std::vector<StepItem> items;
      for (size_t i = 0; i < of.size(); ++i)
        items.push_back({.kv = &sequences[i],
                         .tokens = std::span(ids()).subspan(first, n),
                         .n_outputs = 1,
                         .decode = n == 1,
                         .adapters = &of[i]});
      const Logits logits = runner.run(items);
      for (size_t i = 0; i < of.size(); ++i) {
        const auto row = logits.row(static_cast<int64_t>(i));
        out[i].insert(out[i].end(), row.begin(), row.end());
      }
    }
    return out;
  };
  const std::vector<Values> together = outputs(mixes);
  for (size_t i = 0; i < mixes.size(); ++i)
    EXPECT_TRUE(test::same_bits(together[i], outputs(std::span(mixes).subspan(i, 1))[0])) << "sequence " << i;
  for (size_t i = 1; i < mixes.size(); ++i) EXPECT_NE(together[i], together[0]) << "sequence " << i;
}

// Dense layers, experts and matrices of heads.
class AdaptedOnTier : public testing::TestWithParam<const Tier*> {};

TEST_P(AdaptedOnTier, GivesTheLogitsOfTheMergedModel) {
  for (const char* name : {"llama_gqa", "qwen3moe", "deepseek2_lite"}) {
    AdaptedModel m(name);
    CpuBackend backend(2, GetParam()->name);
    const Values got = m.logits(*m.model_, backend, 1);
    EXPECT_TRUE(test::close_to(got, m.logits(*m.merged(), backend, 0), 2e-2 * std::max(1.0, Golden::spread(got)))) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, AdaptedOnTier, testing::ValuesIn(tiers_up_to()), test::tier_name);

INSTANTIATE_TEST_SUITE_P(All, AdaptedGolden, testing::ValuesIn(test::golden_names([](const Golden& golden) {
                           return !golden.greedy_ids.empty();
                         })),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace skald::adapters_test
