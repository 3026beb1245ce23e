// Every golden model with control vectors: the same bits on several devices, and a bias of a layer's last product where
// this is the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "graph/stages.h"
#include "models/parts/hparams.h"
#include "stepping/runner.h"
#include "tests/models/edited_golden.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"
#include "tests/support/faulting_cpu.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/ranks_backend.h"

namespace skald::control_vectors_test {
namespace {

using test::EditedGolden;
using test::Golden;

// The models that have one residual stream, and write text.
bool can_be_steered(const Golden& golden) { return golden.arch != "gemma3n" && !golden.greedy_ids.empty(); }

class SteeredGolden : public testing::TestWithParam<std::string> {
 protected:
  SteeredGolden() {
    const MetaView m(edited_.meta, edited_.golden.arch);
    layers_ = read_layer_count(m);
    d_model_ = m.i64("embedding_length");
  }

  std::vector<float> direction(int64_t layer) const { return test::normal(d_model_, static_cast<uint64_t>(layer), 0.1f); }
  std::string vectors() const {
    GgufWriter out;
    out.meta.set("general.architecture", std::string("controlvector"));
    std::vector<std::vector<float>> values;
    for (int64_t i = 1; i < layers_; ++i) {
      values.push_back(direction(i));
      out.add_tensor(fmt::format("direction.{}", i), Shape{d_model_}, 0, std::as_bytes(std::span(values.back())));
    }
    out.write(dir_.path("vectors.gguf"));
    return dir_.path("vectors.gguf");
  }
  std::shared_ptr<const LoadedModel> steered() const {
    return Model::load((edited_.golden.folder / "model.gguf").string(), {.control_vectors = {{vectors()}}}).loaded();
  }
  std::vector<float> logits(const LoadedModel& model, Backend& backend) const {
    Runner runner(model.step_model(), backend, kCache);
    return test::logits_of(runner, edited_.golden.prompt_ids, 16, 20, model.prefix_length(edited_.golden.prompt_ids));
  }
  std::vector<float> logits(const LoadedModel& model) const {
    CpuBackend one(1, "");
    return logits(model, one);
  }

  static inline const CacheOptions kCache = {.n_ctx = 256, .type_k = "f32", .type_v = "f32"};
  EditedGolden edited_{GetParam()};
  int64_t layers_ = 0, d_model_ = 0;
  test::TempDir dir_;
};

class SteeredAnywhere : public SteeredGolden {
 protected:
  static std::unique_ptr<Backend> one_thread() { return std::make_unique<CpuBackend>(1, ""); }
};

TEST_P(SteeredAnywhere, GivesTheBitsOfOneDevice) {
  const auto model = steered();
  const std::vector<float> want = logits(*model);
  EXPECT_NE(want, logits(*edited_.golden.load()));
  EXPECT_TRUE(test::same_bits(logits(*model, *test::two_memories()), want));
  test::RanksBackend ranks(model, 3, {.exact = true}, one_thread);
  EXPECT_EQ(logits(*model, ranks), want) << "3 ranks";
  if (most_stages(model->step_model().graph({1, 1})) < 2) return;
  test::RanksBackend stages(model, 2, {.stages = 2}, one_thread);
  EXPECT_EQ(logits(*model, stages), want) << "2 stages";
}

INSTANTIATE_TEST_SUITE_P(All, SteeredAnywhere, testing::ValuesIn(test::golden_names(can_be_steered)),
                         [](const auto& info) { return info.param; });

class SteeredAsBiased : public SteeredGolden {
 protected:
  // Adds the vector of a layer to the bias of its last product, which some models have.
  void add_bias(int64_t layer) {
    const std::string name = fmt::format("blk.{}.ffn_down.bias", layer);
    std::vector<float> bias = direction(layer);
    if (edited_.has(name)) {
      const auto* const old = reinterpret_cast<const float*>(edited_.tensors.at(name).data.data());
      for (size_t i = 0; i < bias.size(); ++i) bias[i] += old[i];
    }
    const std::span<const std::byte> bytes = std::as_bytes(std::span(bias));
    edited_.tensors[name] = {Shape{d_model_}, 0, {bytes.begin(), bytes.end()}};
  }
};

TEST_P(SteeredAsBiased, GivesTheLogitsOfTheModelWithBiases) {
  for (int64_t i = 1; i < layers_; ++i) add_bias(i);
  const std::vector<float> want = logits(*edited_.load());
  const double limit = 1e-3 * std::max(1.0, edited_.golden.logit_std);
  EXPECT_TRUE(test::close_to(logits(*steered()), want, limit));
  EXPECT_FALSE(test::close_to(logits(*edited_.golden.load()), want, 10 * limit));
}

// A layer ends with this product and the sum.
INSTANTIATE_TEST_SUITE_P(All, SteeredAsBiased,
                         testing::Values("apertus", "arcee", "bloom", "chatglm2", "cohere2", "command_r", "command_r_plus",
                                         "falcon_40b", "falcon_7b", "falcon_rw", "gemma", "gpt2", "gptj", "gptneox",
                                         "gptneox_seq", "hunyuandense", "internlm2", "llama_gqa", "llama_mha", "llama_yarn",
                                         "ministral3", "mistral", "mpt_clip", "opt", "phi2", "phi3", "phi3_longrope",
                                         "qwen2", "qwen3", "qwen35", "qwen35_mtp", "qwen_v1", "seedoss", "smollm3",
                                         "stablelm", "stablelm2_12b", "starcoder", "starcoder2"),
                         [](const auto& info) { return info.param; });

class SteeredAhead : public SteeredGolden {};

// The layer ahead has no vector, and takes rows of the model that has them.
TEST_P(SteeredAhead, GivesTheLogitsOfStepsWithoutHiddenRows) {
  const auto model = steered();
  CpuBackend backend(1, "");
  Runner main(model->step_model_with_hidden(), backend, kCache), ahead(model->ahead_model(main.weights()), backend, kCache);
  EXPECT_EQ(test::logits_of(main, edited_.golden.prompt_ids, 16, 20), logits(*model));
}

INSTANTIATE_TEST_SUITE_P(All, SteeredAhead, testing::Values("qwen35_mtp"), [](const auto& info) { return info.param; });

// What loading a model with a vector of ones after layer 1 throws.
Error error_with_ones(const std::string& name, const std::string& set) {
  const EditedGolden golden(name, set);
  const std::vector<float> ones(static_cast<size_t>(golden.get("embedding_length", 0)), 1.0f);
  GgufWriter out;
  out.meta.set("general.architecture", std::string("controlvector"));
  out.add_tensor("direction.1", Shape{std::ssize(ones)}, 0, std::as_bytes(std::span(ones)));
  const test::TempDir dir;
  out.write(dir.path("ones.gguf"));
  const std::string model = (golden.golden.folder / "model.gguf").string();
  return test::error_of([&] { Model::load(model, {.control_vectors = {{dir.path("ones.gguf")}}}); });
}

TEST(SteeredModels, OfSeveralStreamsAreRefusedByName) {
  const Error e = error_with_ones("gemma3n", "golden");
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_THAT(e.what(), testing::HasSubstr("control vectors: architecture gemma3n: layer 1 has"));
}

TEST(SteeredModels, ThatWriteNoTextAreRefusedByName) {
  const Error e = error_with_ones("nomicbert", "encoders");
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_THAT(e.what(), testing::HasSubstr("control vectors: architecture nomic-bert writes no text"));
}

}  // namespace
}  // namespace skald::control_vectors_test
