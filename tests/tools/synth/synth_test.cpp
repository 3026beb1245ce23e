// Made-up models, in memory and in files: their size, that files load again, and that failures leave nothing.
#include "tools/synth/synth.h"
#include "tests/support/progress.h"
#include "tools/synth/synth_recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "skald/model.h"
#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"
#include "tools/measure/logits.h"

namespace skald {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kShape = "stories-15m";

TEST(Synth, NamesAnUnknownShapeAndTheKnownOnes) {
  const Error e = test::error_of([] { synth_model({"llama-9", "q8_0"}); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_THAT(e.what(), AllOf(HasSubstr("'llama-9'"), HasSubstr("llama-2-7b")));
}

TEST(Synth, NamesAnUnknownType) {
  for (const char* type : {"q99", "", "i32"}) {
    const Error e = test::error_of([&] { synth_model({"qwen2.5-0.5b", type}); });
    EXPECT_EQ(e.code(), Errc::kBadInput) << type;
    EXPECT_THAT(e.what(), HasSubstr("'" + std::string(type) + "'"));
  }
}

TEST(Synth, RowsThatAreNoWholeBlocksHaveTheTypeThatQuantisingGivesThem) {
  const SynthRecipe recipe = synth_recipe({"qwen2.5-0.5b", "q4_k"});
  for (const SynthRecipe::Weight& w : recipe.weights) {
    if (w.name == "token_embd.weight") {
      EXPECT_EQ(w.tensor.format->name, "q5_0");  // rows of 896
    }
    if (w.name == "blk.0.ffn_down.weight") {
      EXPECT_EQ(w.tensor.format->name, "q4_k");  // rows of 4864
    }
  }
}

// Each of the families whose files have more than the common keys: in a few layers of every kind.
TEST(Synth, MakesModelsOf2026) {
  for (const auto& [shape, layers] : {std::pair{"qwen3.5-4b", 4}, {"lfm2-8b-a1b", 4}, {"granite-4-h-tiny", 6}}) {
    const auto model = synth_model({.shape = shape, .type = "q4_k", .n_layers = layers});
    const std::vector<float> logits = compute_logits(*model, {.device = {.n_threads = 2}}, std::vector<TokenId>{1, 9}, -1);
    EXPECT_TRUE(std::ranges::all_of(logits, [](float x) { return std::isfinite(x); })) << shape;
    EXPECT_TRUE(std::ranges::any_of(model->states(), [](const StateSpec& s) {
      return std::holds_alternative<RecurrentState>(s);
    })) << shape;
  }
}

TEST(Synth, MakesAModelOfTheRealSize) {
  test::Heard heard;
  const auto model = synth_model({"qwen2.5-0.5b", "q4_0"}, {}, heard.callback());
  EXPECT_EQ(model->arch(), "qwen2");
  EXPECT_EQ(model->name(), "qwen2.5-0.5b");
  EXPECT_EQ(model->main_format(), "q4_0");
  EXPECT_EQ(model->n_vocab(), 151936);
  EXPECT_EQ(model->n_parameters(), 494032768);  // as its authors count
  EXPECT_TRUE(heard.went_to_the_end());
}

TEST(Synth, MakesTheFirstLayersOfAModelWithExperts) {
  const SynthRecipe recipe = synth_recipe({"qwen3-30b-a3b", "q4_0", 2});
  const auto of = [&](const std::string& name) {
    return std::ranges::find(recipe.weights, name, &SynthRecipe::Weight::name)->tensor;
  };
  EXPECT_EQ(of("blk.1.ffn_down_exps.weight").shape, (Shape{128, 2048, 768}));
  EXPECT_EQ(of("blk.1.ffn_down_exps.weight").format->name, "q4_0");
  EXPECT_EQ(of("blk.0.ffn_gate_inp.weight").format, &format_f32) << "as in real files";
  EXPECT_TRUE(std::ranges::none_of(recipe.weights, [](const auto& w) { return w.name.starts_with("blk.2."); }));
  // As its authors count all 48: 30.5e9, of which embeddings and output are 0.62e9.
  int64_t n = 0;
  for (const SynthRecipe::Weight& w : recipe.weights) n += w.tensor.shape.elements();
  EXPECT_NEAR(24 * static_cast<double>(n - 2 * 151936 * 2048) + 2 * 151936 * 2048, 30.53e9, 0.01e9);
}

class SynthFile : public testing::Test {
 protected:
  std::string path() const { return dir_.path("m.gguf"); }
  Error error(const std::string& shape, const std::string& type, const std::string& path) const {
    return test::error_of([&] { write_synth_file({shape, type}, path); });
  }
  test::TempDir dir_;
};

TEST_F(SynthFile, LoadsAsTheSameModelInEveryType) {
  for (const char* type : {"f32", "f16", "bf16", "q8_0", "q4_0", "mxfp4"}) {
    const auto want = synth_model({kShape, type});
    EXPECT_EQ(write_synth_file({kShape, type}, path()), want->weight_bytes());
    const auto got = Model::load(path()).loaded();
    EXPECT_EQ(got->name(), kShape);
    EXPECT_EQ(got->main_format(), type);
    EXPECT_EQ(got->n_vocab(), want->n_vocab());
    ASSERT_EQ(got->weights().weights.size(), want->weights().weights.size());
    for (const auto& [name, w] : want->weights().weights) {
      const WeightSet::Weight& read = got->weights().weights.at(name);
      EXPECT_EQ(read.shape, w.shape) << name;
      EXPECT_EQ(read.type, w.type) << name;
      EXPECT_TRUE(std::equal(w.data, w.data + w.bytes, read.data, read.data + read.bytes)) << name;
    }
    EXPECT_EQ(dir_.files(), 1u);
  }
}

TEST_F(SynthFile, MayBeOfTypesWithLongBlocks) {
  for (const auto& [type, bits] : {std::pair{"q1_0", 1.125}, {"q2_0", 2.25}, {"nvfp4", 4.5}}) {
    write_synth_file({.shape = "tinyllama", .type = type, .n_layers = 1}, path());
    const Model model = Model::load(path());
    EXPECT_EQ(model.loaded()->main_format(), type);
    const WeightSet& weights = model.loaded()->weights();
    EXPECT_NEAR(8.0 * static_cast<double>(weights.bytes()) / static_cast<double>(weights.parameters()), bits, 0.01) << type;
    const std::vector<float> logits =
        compute_logits(*model.loaded(), {.device = {.n_threads = 2}}, std::vector<TokenId>{1, 9}, -1);
    EXPECT_TRUE(std::ranges::all_of(logits, [](float x) { return std::isfinite(x); })) << type;
  }
}

TEST_F(SynthFile, HasATokenizerForTheWholeVocabulary) {
  write_synth_file({kShape, "q4_0"}, path());
  const Model model = Model::load(path());
  EXPECT_EQ(static_cast<int64_t>(model.loaded()->meta().strings("tokenizer.ggml.tokens").size()), model.n_vocab());
  EXPECT_EQ(model.detokenize(model.tokenize("Any text")), "Any text");
}

TEST_F(SynthFile, ComputesFiniteLogitsThatDiffer) {
  write_synth_file({kShape, "q8_0"}, path());
  const std::vector<TokenId> tokens = {1, 500, 1000, 31999};
  const std::vector<float> logits = compute_logits(*Model::load(path()).loaded(), {.device = {.n_threads = 2}}, tokens, -1);
  EXPECT_TRUE(std::ranges::all_of(logits, [](float x) { return std::isfinite(x); }));
  const std::set<float> different(logits.begin(), logits.end());
  EXPECT_GT(different.size(), logits.size() / 2);
}

TEST_F(SynthFile, ReportsProgressUpToTheEnd) {
  test::Heard heard;
  write_synth_file({kShape, "q8_0"}, path(), heard.callback());
  EXPECT_TRUE(heard.went_to_the_end());
}

TEST_F(SynthFile, LeavesNothingBehindWhenStopped) {
  struct Stop {};
  const auto stop_half_way = [](int64_t done, int64_t total) {
    if (2 * done > total) throw Stop();
  };
  EXPECT_THROW(write_synth_file({kShape, "q8_0"}, path(), stop_half_way), Stop);
  EXPECT_EQ(dir_.files(), 0u);
}

TEST_F(SynthFile, RefusesWhatItCannotMakeOrWrite) {
  EXPECT_THAT(error("llama-9", "q8_0", path()).what(), HasSubstr("llama-2-7b"));
  EXPECT_THAT(error(kShape, "q99", path()).what(), HasSubstr("'q99'"));
  EXPECT_EQ(error(kShape, "q8_0", dir_.path("absent/m.gguf")).code(), Errc::kNotFound);
  EXPECT_EQ(error(kShape, "q8_0", "/dev/full").code(), Errc::kBadInput);
  EXPECT_EQ(error(kShape, "q8_0", dir_.path("")).code(), Errc::kBadInput);
  EXPECT_EQ(dir_.files(), 0u);
}

}  // namespace
}  // namespace skald
