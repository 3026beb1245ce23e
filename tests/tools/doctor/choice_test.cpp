// The models that fit on made-up machines, and the choice for a model.
#include "tools/doctor/choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "skald/model.h"
#include "stepping/memory_need.h"
#include "tools/doctor/shape_need.h"
#include "tools/synth/synth.h"

namespace skald {
namespace {

constexpr double kGiBytes = 1 << 30;

MachineFacts machine_of(double gib) {
  MachineFacts out;
  out.cpu.present = out.cpu.usable = {0, 1, 2, 3};
  out.cpu.quota = 3;
  out.memory.total = out.memory.available = static_cast<int64_t>(gib * kGiBytes);
  out.memory.read_gb_per_s = 50;
  return out;
}

EngineOptions options_of(int64_t n_ctx, const char* k_type, const char* v_type) {
  EngineOptions out;
  out.schedule.n_parallel = 1;
  out.cache.n_ctx = n_ctx;
  out.cache.type_k = k_type;
  out.cache.type_v = v_type;
  return out;
}

const FittingModel* find(const MachineChoice& choice, const std::string& shape) {
  const auto at = std::ranges::find(choice.models, shape, &FittingModel::shape);
  return at == choice.models.end() ? nullptr : &*at;
}

// The sizes that docs/choose-a-model.md has, which were taken from models that had their weights.
TEST(ShapeNeed, IsThatOfWholeModels) {
  const ShapeNeed llama = shape_need({.shape = "llama-3.1-8b", .type = "q4_k"}, options_of(32768, "f16", "f16"));
  EXPECT_NEAR(llama.memory.weights / kGiBytes, 3.93, 0.005);
  EXPECT_NEAR(llama.memory.cache / kGiBytes, 4.02, 0.005);
  EXPECT_NEAR(llama.memory.work / kGiBytes, 0.04, 0.005);
  const ShapeNeed small = shape_need({.shape = "llama-3.1-8b", .type = "q4_k"}, options_of(32768, "kc4", "q8_0"));
  EXPECT_NEAR(small.memory.cache / kGiBytes, 1.67, 0.005);
  const ShapeNeed qwen = shape_need({.shape = "qwen3.5-4b", .type = "q8_0"}, options_of(32768, "f16", "f16"));
  EXPECT_NEAR(qwen.memory.weights / kGiBytes, 4.16, 0.005);
  EXPECT_NEAR(qwen.memory.cache / kGiBytes, 2.03, 0.005);
}

TEST(ShapeNeed, IsWhatTheEngineAsksForOfAModelInMemory) {
  const SynthSpec spec{.shape = "stories-15m", .type = "q8_0"};
  const EngineOptions options = options_of(256, "f16", "f16");
  const ShapeNeed got = shape_need(spec, options);
  const auto model = synth_model(spec);
  const MemoryNeed want = memory_need(*model, options);
  EXPECT_EQ(got.memory.cache, want.cache);
  EXPECT_EQ(got.memory.work, want.work);
  EXPECT_EQ(got.memory.weights, model->weight_bytes());  // its table of embeddings is the output matrix too
  EXPECT_DOUBLE_EQ(got.token_bytes, token_bytes(model->build_graph({})));
}

// Of 30 billion weights a token reads 3: all weights, or a table of which it reads a row, would be far more.
TEST(ShapeNeed, ReadsTheExpertsThatATokenGoesTo) {
  const ShapeNeed moe = shape_need({.shape = "qwen3-30b-a3b", .type = "q4_k"}, options_of(1024, "f16", "f16"));
  EXPECT_GT(moe.token_bytes, 2.9e9 * 4.5 / 8 * 0.9);
  EXPECT_LT(moe.token_bytes, 3.4e9 * 4.5 / 8 * 1.1);
  const ShapeNeed dense = shape_need({.shape = "llama-3.1-8b", .type = "q8_0"}, options_of(1024, "f16", "f16"));
  EXPECT_NEAR(dense.token_bytes, static_cast<double>(dense.memory.weights),
              0.02 * static_cast<double>(dense.memory.weights));
}

TEST(Choice, TakesTheBestFormThatFits) {
  EXPECT_EQ(find(choose(machine_of(7.9), nullptr), "llama-3.1-8b")->small_cache, true);
  EXPECT_EQ(find(choose(machine_of(8.1), nullptr), "llama-3.1-8b")->small_cache, false);
  EXPECT_EQ(find(choose(machine_of(8.1), nullptr), "llama-3.1-8b")->type, "q4_k");
  EXPECT_EQ(find(choose(machine_of(11.6), nullptr), "llama-3.1-8b")->type, "q8_0");
  EXPECT_EQ(find(choose(machine_of(5.5), nullptr), "llama-3.1-8b"), nullptr);
  EXPECT_TRUE(choose(machine_of(0.2), nullptr).models.empty());
}

TEST(Choice, ListsTheLargestFirstWithinTheMemory) {
  const MachineChoice choice = choose(machine_of(16), nullptr);
  ASSERT_GT(choice.models.size(), 5u);
  EXPECT_TRUE(std::ranges::is_sorted(choice.models, std::greater(), &FittingModel::bytes));
  EXPECT_LE(choice.models.front().bytes, 16 * kGiBytes);
  EXPECT_EQ(find(choice, "stories-15m"), nullptr);  // its context is 256
  for (const FittingModel& m : choice.models) EXPECT_GT(m.most_tokens_per_s, 0) << m.shape;
}

TEST(Choice, IsTheDefaultsOfRun) {
  const MachineChoice choice = choose(machine_of(16), nullptr);
  EXPECT_EQ(choice.threads, 3);  // the quota
  EXPECT_EQ(choice.k_type, "f16");
  EXPECT_EQ(choice.layout, "dims");
  EXPECT_FALSE(choice.model);
}

TEST(Choice, OfAModelIsTheContextThatFits) {
  const Model model = Model::embedded();
  const MachineChoice roomy = choose(machine_of(16), model.loaded().get());
  ASSERT_TRUE(roomy.model);
  EXPECT_EQ(roomy.model->context, model.n_ctx_train());
  EXPECT_NEAR(roomy.model->most_tokens_per_s, 50e9 / token_bytes(model.loaded()->build_graph({})), 1e-6);
  const MemoryNeed need = memory_need(*model.loaded(), options_of(model.n_ctx_train(), "f16", "f16"));
  EXPECT_EQ(roomy.model->cache_bytes, need.cache);
  const MachineChoice tight =
      choose(machine_of(static_cast<double>(need.all() - need.cache / 4) / kGiBytes), model.loaded().get());
  EXPECT_GT(tight.model->context, 0);
  EXPECT_LT(tight.model->context, model.n_ctx_train());
  EXPECT_GT(tight.model->small_context, tight.model->context);
  EXPECT_EQ(choose(machine_of(0), model.loaded().get()).model->context, 0);
}

}  // namespace
}  // namespace skald
