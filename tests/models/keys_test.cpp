// Keys that few files have decide the numbers: logits of float64 NumPy references (tests/data/field), and warnings of keys
// that a family does not read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "loading/unread_keys.h"
#include "tests/models/edited_golden.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/tiers.h"

namespace skald::keys_test {
namespace {

using test::EditedGolden;
using testing::HasSubstr;

// Matrices are floats in all of these models.
class Keys : public testing::Test {
 protected:
  static std::vector<float> logits_of(const LoadedModel& model, std::span<const TokenId> ids) {
    CpuBackend backend(2, test::unrounded_tier());
    Runner runner(model.step_model(), backend, {.n_ctx = 512, .type_k = "f32", .type_v = "f32"});
    return test::logits_of(runner, ids, 200, static_cast<int64_t>(ids.size()));
  }

  /// The last rows of the logits of the golden long_ids are those of the file.
  static void expect_logits(const EditedGolden& edited, const std::string& file, double limit = 1e-3) {
    const test::Matrix want = test::read_npy(test::data_dir() / "field" / (file + ".npy"));
    const auto model = edited.load();
    const std::vector<float> got = logits_of(*model, edited.golden.long_ids);
    const double spread = std::max(1.0, test::Golden::spread(want.values));
    EXPECT_TRUE(test::close_to(std::span(got).last(want.values.size()), want.values, limit * spread));
  }

  /// Adds layers after the last: the weights of the first ones, their rows turned by `roll` and the number of the layer.
  static void add_layers(EditedGolden& edited, int64_t n, int64_t roll) {
    const int64_t old = edited.get("block_count", 0);
    for (int64_t i = old; i < n; ++i) {
      const std::string from = fmt::format("blk.{}.", i - old), to = fmt::format("blk.{}.", i);
      const auto tensors = edited.tensors;
      for (const auto& [name, t] : tensors) {
        if (!name.starts_with(from)) continue;
        EditedGolden::Tensor& copy = edited.tensors[to + name.substr(from.size())] = t;
        const bool floats = t.type == 0 || t.type == 1 || t.type == 30;
        if (t.shape.rank() < 2 || !floats) continue;
        const auto slice = static_cast<int64_t>(t.data.size()) / t.shape[0];
        std::rotate(copy.data.begin(), copy.data.end() - (roll + i) % t.shape[0] * slice, copy.data.end());
      }
    }
    edited.set("block_count", static_cast<uint32_t>(n));
  }

  static MetaValue flags(std::vector<bool> x) { return MetaArray{std::move(x)}; }
};

constexpr const char* kPattern = "attention.sliding_window_pattern";

TEST_F(Keys, APeriodSaysWhichLayersHaveAWindow) {
  for (const char* name : {"gemma3", "gemma2"}) {
    SCOPED_TRACE(name);
    EditedGolden edited(name, "field");
    edited.set(kPattern, uint32_t{3});
    expect_logits(edited, std::string(name) + "_pattern3");
  }
  EditedGolden cohere2("cohere2");
  cohere2.set(kPattern, uint32_t{2});
  expect_logits(cohere2, "cohere2_pattern2");
  EditedGolden gptoss("gptoss");
  add_layers(gptoss, 3, 1);
  gptoss.set(kPattern, uint32_t{3});
  expect_logits(gptoss, "gptoss_pattern3", 0.05);
}

TEST_F(Keys, AFlagPerLayerDoes) {
  EditedGolden edited("gemma3", "field");
  std::vector<bool> local;
  for (int64_t i = 0; i < edited.get("block_count", 0); ++i) local.push_back(i % 3 < 2);
  edited.set(kPattern, flags(local));
  expect_logits(edited, "gemma3_pattern3");
  local.pop_back();
  edited.set(kPattern, flags(local));
  EXPECT_THAT(test::error_of([&] { edited.load(); }).what(), HasSubstr("sliding_window_pattern"));
}

TEST_F(Keys, LayersWithAWindowHaveTheirOwnBase) {
  EditedGolden edited("gemma3", "field");
  edited.set("rope.freq_base_swa", 500.0f);
  expect_logits(edited, "gemma3_base500");
}

TEST_F(Keys, Olmo3ScalesRopeInLayersWithoutAWindowOnly) {
  EditedGolden edited("olmo2", "field");
  add_layers(edited, 4, 2);
  edited.set("attention.sliding_window", uint32_t{32});
  edited.set(kPattern, flags({true, true, true, false}));
  expect_logits(edited, "olmo3");
  edited.set("rope.scaling.type", std::string("yarn"));
  edited.set("rope.scaling.factor", 8.0f);
  edited.set("rope.scaling.original_context_length", uint32_t{64});
  expect_logits(edited, "olmo3_yarn");
}

TEST_F(Keys, QueriesGrowWithTheirPosition) {
  EditedGolden edited("deepseek2_lite");
  edited.set("attention.temperature_scale", 0.3f);
  edited.set("attention.temperature_length", uint32_t{16});
  expect_logits(edited, "deepseek2_temperature", 3e-3);
}

TEST_F(Keys, AFactorWithoutATypeIsLinear) {
  EditedGolden edited("gemma3");
  const std::vector<float> want = logits_of(*edited.load(), edited.golden.long_ids);
  edited.drop("rope.scaling.type");
  EXPECT_EQ(logits_of(*edited.load(), edited.golden.long_ids), want);
}

TEST_F(Keys, WhatAFamilyCannotDoWithoutIsMissedByName) {
  const std::pair<const char*, const char*> needed[] = {{"cohere2", "attention.sliding_window"},
                                                        {"gptoss", "attention.sliding_window"},
                                                        {"gemma3", "attention.sliding_window"},
                                                        {"cohere2", "logit_scale"},
                                                        {"command_r", "logit_scale"},
                                                        {"granite", "logit_scale"}};
  for (const auto& [name, key] : needed) {
    EditedGolden edited(name);
    edited.drop(key);
    const Error e = test::error_of([&] { edited.load(); });
    EXPECT_EQ(e.code(), Errc::kNotFound) << name;
    EXPECT_THAT(e.what(), HasSubstr(edited.golden.arch + "." + key));
  }
}

TEST_F(Keys, NoGoldenFileHasKeysThatItsFamilyDoesNotRead) {
  for (const std::string& name : test::golden_names([](const test::Golden&) { return true; })) {
    const auto model = EditedGolden(name).load();
    EXPECT_THAT(unread_model_keys(model->meta(), model->arch()), testing::IsEmpty()) << name;
    if (!model->find_tokenizer()) continue;
    EXPECT_THAT(unread_tokenizer_keys(model->meta()), testing::IsEmpty()) << name;
  }
}

TEST_F(Keys, ThoseThatAFamilyDoesNotReadAreKnown) {
  EditedGolden edited("qwen3");
  edited.set("attention.sliding_window", uint32_t{16});
  edited.set(kPattern, uint32_t{2});
  edited.set("attention.no_such_key", 1.0f);
  edited.set("vocab_size", uint32_t{448});
  const auto model = edited.load();
  EXPECT_THAT(unread_model_keys(model->meta(), "qwen3"),
              testing::ElementsAre("qwen3.attention.sliding_window", "qwen3.attention.sliding_window_pattern",
                                   "qwen3.attention.no_such_key"));
}

}  // namespace
}  // namespace skald::keys_test
