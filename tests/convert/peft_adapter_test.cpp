// Adapters of PEFT: the same numbers as in a GGUF file, options of the configuration, and refusals by name.
#include "convert/peft_adapter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "adapters/gguf_adapter.h"
#include "tests/convert/peft_folder.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

using test::PeftFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kQ = "model.layers.0.self_attn.q_proj";

// Llama's query matrices are (256, 256), its keys' (64, 256).
Meta llama() { return test::golden_meta("llama_gqa"); }

Error refusal(const PeftFolder& folder, const Meta& base = llama()) {
  return test::error_of([&] { folder.read(base); });
}

/// Reads it, and returns the adapter with the lines of the log.
std::pair<Adapter, std::string> read_and_listen(const PeftFolder& folder) {
  testing::internal::CaptureStderr();
  Adapter adapter = folder.read(llama());
  return {std::move(adapter), testing::internal::GetCapturedStderr()};
}

float factor_of(const PeftFolder& folder, const std::string& weight) {
  return folder.read(llama()).changes.at(weight).factor;
}

class PeftTwin : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(PeftTwin, HasTheNumbersOfTheGgufFile) {
  const auto dir = test::data_dir() / "lora" / GetParam().first;
  const Adapter want = read_gguf_adapter((dir / "adapter.gguf").string());
  const Adapter got = read_peft_adapter((dir / "peft").string(), test::golden_meta(GetParam().second));
  EXPECT_EQ(got.arch, want.arch);
  EXPECT_EQ(got.name, "peft");
  EXPECT_EQ(got.base, "base");
  ASSERT_EQ(got.changes.size(), want.changes.size());
  for (const auto& [name, change] : want.changes) {
    ASSERT_TRUE(got.changes.contains(name)) << name;
    const LowRank& other = got.changes.at(name);
    EXPECT_EQ(other.factor, change.factor);
    EXPECT_EQ(other.a.shape(), change.a.shape());
    EXPECT_EQ(other.b.shape(), change.b.shape());
    EXPECT_TRUE(test::same_bits(other.a.values(), change.a.values())) << name;
    EXPECT_TRUE(test::same_bits(other.b.values(), change.b.values())) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, PeftTwin,
                         testing::Values(std::pair{"llama_all", "llama_gqa"}, std::pair{"qwen2_attention", "qwen2"}),
                         [](const auto& info) { return info.param.first; });

TEST(PeftAdapter, IsAFolderWithItsConfiguration) {
  PeftFolder folder;
  EXPECT_FALSE(is_peft_folder(folder.dir().path("")));
  const std::string path = folder.module(kQ, 256, 256).write();
  EXPECT_TRUE(is_peft_folder(path));
  EXPECT_FALSE(is_peft_folder(folder.dir().path("adapter_config.json")));
}

TEST(PeftAdapter, NamesMayHaveTheAdaptersNameAndNoPrefix) {
  PeftFolder folder;
  folder.prefix = "";
  folder.tensor(std::string(kQ) + ".lora_A.default.weight", {2, 256});
  folder.tensor(std::string(kQ) + ".lora_B.default.weight", {256, 2});
  EXPECT_TRUE(folder.read(llama()).changes.contains("blk.0.attn_q.weight"));
}

TEST(PeftAdapter, TellsItsModelAndItsInvocation) {
  PeftFolder folder;
  folder.module(kQ, 256, 256);
  folder.config["base_model_name_or_path"] = "acme/Tiny-Llama/";
  folder.config["alora_invocation_tokens"] = {7, 8};
  const Adapter adapter = folder.read(llama());
  EXPECT_EQ(adapter.base, "Tiny-Llama");
  EXPECT_THAT(adapter.invocation, ElementsAre(7, 8));
  EXPECT_EQ(adapter.arch, "llama");
}

TEST(PeftAdapter, AlphaAndRankMakeTheFactor) {
  PeftFolder folder;
  folder.module(kQ, 256, 256).module("model.layers.1.self_attn.q_proj", 256, 256, 4).module("lm_head", 512, 256);
  folder.config["rank_pattern"] = {{"layers\\.[1-9]+\\..*", 4}};
  folder.config["alpha_pattern"] = {{"lm_head", 1}, {"^model.layers.0.self_attn.(q|k)_proj", 10}};
  EXPECT_EQ(factor_of(folder, "blk.0.attn_q.weight"), 5);
  EXPECT_EQ(factor_of(folder, "blk.1.attn_q.weight"), 1.5f);
  EXPECT_EQ(factor_of(folder, "output.weight"), 0.5f);
  folder.config["use_rslora"] = true;
  EXPECT_EQ(factor_of(folder, "blk.1.attn_q.weight"), 3);
}

TEST(PeftAdapter, OfTheEmbeddingsIsATable) {
  PeftFolder folder;
  folder.tensor("model.embed_tokens.lora_embedding_A", {2, 512}).tensor("model.embed_tokens.lora_embedding_B", {256, 2});
  folder.tensor("model.embed_tokens.base_layer.weight", {512, 256});
  const auto [adapter, log] = read_and_listen(folder);
  EXPECT_THAT(log, HasSubstr("embed_tokens.base_layer.weight is left out: a copy"));
  const LowRank& change = adapter.changes.at("token_embd.weight");
  EXPECT_EQ(change.a.shape(), (Shape{512, 2}));
  EXPECT_EQ(change.b.shape(), (Shape{256, 2}));
  EXPECT_EQ(change.rank(), 2);
  const std::vector<float>& a = folder.values("model.embed_tokens.lora_embedding_A");
  EXPECT_EQ(change.a.values()[7], a[512 + 3]) << "token 3 of the second row";
  EXPECT_TRUE(test::same_bits(change.b.values(), folder.values("model.embed_tokens.lora_embedding_B")));
}

TEST(PeftAdapter, ExpertsThatItLacksAreZero) {
  PeftFolder folder;
  const Meta base = test::golden_meta("qwen3moe");
  const int64_t n = base.i64("qwen3moe.expert_count");
  folder.module("model.layers.1.mlp.experts.2.up_proj", 32, 64);
  const LowRank change = folder.read(base).changes.at("blk.1.ffn_up_exps.weight");
  EXPECT_EQ(change.a.shape(), (Shape{n, 2, 64}));
  EXPECT_EQ(change.b.shape(), (Shape{n, 32, 2}));
  const std::vector<float> a = change.a.values();
  for (int64_t expert = 0; expert < n; ++expert) {
    const auto first = a.begin() + expert * 128;
    EXPECT_EQ(std::all_of(first, first + 128, [](float x) { return x == 0; }), expert != 2) << expert;
  }
  folder.module("model.layers.1.mlp.experts.0.up_proj", 32, 64, 1);
  folder.config["rank_pattern"] = {{"experts.0.up_proj", 1}};
  EXPECT_THAT(refusal(folder, base).what(), AllOf(HasSubstr("experts.0.up_proj has rank 1"), HasSubstr("must be alike")));
  PeftFolder beyond;
  beyond.module("model.layers.1.mlp.experts." + std::to_string(n) + ".up_proj", 32, 64);
  EXPECT_THAT(refusal(beyond, base).what(), HasSubstr("the model has " + std::to_string(n) + " experts"));
}

TEST(PeftAdapter, OtherPartsOfAModelAreLeftOut) {
  PeftFolder folder;
  folder.module("model.visual.blocks.0.attn.qkv", 8, 8);
  folder.module("model.language_model.layers.0.self_attn.q_proj", 256, 256);
  const auto [adapter, log] = read_and_listen(folder);
  EXPECT_EQ(adapter.changes.size(), 1u);
  EXPECT_THAT(log, HasSubstr("model.visual.blocks.0.attn.qkv"));
}

TEST(PeftAdapter, RefusesOptionsThatChangeAModelInOtherWays) {
  const auto says = [](const char* key, const nlohmann::json& value, const char* message) {
    PeftFolder folder;
    folder.module(kQ, 256, 256);
    folder.config[key] = value;
    const Error e = refusal(folder);
    EXPECT_EQ(e.code(), Errc::kUnsupported) << key;
    EXPECT_THAT(e.what(), AllOf(HasSubstr(key), HasSubstr(message)));
  };
  says("peft_type", "ADALORA", "only LORA is known");
  says("use_dora", true, "DoRA");
  says("modules_to_save", {"lm_head"}, "merge_and_unload");
  says("bias", "lora_only", "biases that were trained");
  says("lora_bias", true, "biases beside B");
  says("target_parameters", {"mlp.experts.down_proj"}, "parameters");
  says("trainable_token_indices", {1, 2}, "rows of the embeddings");
  says("layer_replication", {{0, 1}, {0, 1}}, "several times");
  says("init_lora_weights", "pissa_niter_4", "path_initial_model_for_weight_conversion");
}

TEST(PeftAdapter, TellsOfOptionsThatAreNotKnown) {
  PeftFolder folder;
  folder.module(kQ, 256, 256);
  folder.config["use_marvels"] = true;
  EXPECT_THAT(read_and_listen(folder).second,
              HasSubstr("adapter_config.json has a key without a meaning here: use_marvels"));
  folder.config["use_marvels"] = false;
  EXPECT_EQ(read_and_listen(folder).second, "");
}

TEST(PeftAdapter, OptionsThatSayNothingPass) {
  PeftFolder folder;
  folder.module(kQ, 256, 256);
  folder.config.update({{"use_dora", false},
                        {"modules_to_save", nullptr},
                        {"target_parameters", nlohmann::json::array()},
                        {"layer_replication", nullptr},
                        {"init_lora_weights", true},
                        {"megatron_config", nullptr},
                        {"loftq_config", nlohmann::json::object()}});
  EXPECT_EQ(folder.read(llama()).changes.size(), 1u);
}

TEST(PeftAdapter, RefusesTensorsByName) {
  const auto says = [](const char* tensor, const std::vector<int64_t>& shape, Errc code, const char* message) {
    PeftFolder folder;
    folder.module(kQ, 256, 256).tensor(tensor, shape);
    const Error e = refusal(folder);
    EXPECT_EQ(e.code(), code) << tensor;
    EXPECT_THAT(e.what(), AllOf(HasSubstr("adapter_model.safetensors"), HasSubstr(message)));
  };
  says("model.embed_tokens.weight", {512, 256}, Errc::kUnsupported, "it would replace a weight");
  says("model.layers.0.self_attn.q_proj.lora_magnitude_vector", {256}, Errc::kUnsupported, "DoRA");
  says("model.layers.0.self_attn.q_proj.lora_B.bias", {256}, Errc::kUnsupported, "lora_B.bias");
  says("model.layers.0.self_attn.k_proj.lora_A.weight", {2, 256}, Errc::kBadFile, "B is missing");
  says("model.layers.0.self_attn.q_proj.lora_A.other.weight", {2, 256}, Errc::kBadFile, "two of it");
}

TEST(PeftAdapter, RefusesModulesByName) {
  PeftFolder folder;
  folder.module("model.layers.0.self_attn.z_proj", 256, 256).module("model.layers.9.self_attn.q_proj", 256, 256);
  const Error e = refusal(folder);
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_THAT(e.what(), AllOf(HasSubstr("architecture llama gives these modules no meaning"), HasSubstr("self_attn.z_proj"),
                              HasSubstr("layers.9.self_attn.q_proj")));
  PeftFolder norm;
  norm.module("model.norm", 1, 256);
  EXPECT_EQ(refusal(norm, test::golden_meta("gemma3")).code(), Errc::kUnsupported);
  PeftFolder gate;
  gate.module("model.layers.0.mlp.shared_expert_gate", 1, 32);
  EXPECT_THAT(refusal(gate, test::golden_meta("qwen3next")).what(), HasSubstr("is no matrix"));
  PeftFolder positions;
  positions.tensor("transformer.wpe.lora_embedding_A", {2, 256}).tensor("transformer.wpe.lora_embedding_B", {32, 2});
  EXPECT_THAT(refusal(positions, test::golden_meta("gpt2")).what(), HasSubstr("is no table of tokens"));
}

TEST(PeftAdapter, RefusesModelsWithHiddenFactorsOrWithoutNames) {
  PeftFolder folder;
  folder.module(kQ, 256, 256);
  EXPECT_THAT(refusal(folder, test::golden_meta("falcon_h1")).what(), HasSubstr("multiplied by factors"));
  Meta other = llama();
  other.set("general.architecture", std::string("unheard-of"));
  other.set("unheard-of.block_count", uint32_t{2});
  EXPECT_THAT(refusal(folder, other).what(), HasSubstr("architecture \"unheard-of\""));
}

TEST(PeftAdapter, RefusesShapesAndRanksThatDoNotFit) {
  const auto says = [](const std::vector<int64_t>& a, const std::vector<int64_t>& b, const char* message) {
    PeftFolder folder;
    folder.tensor(std::string(kQ) + ".lora_A.weight", a).tensor(std::string(kQ) + ".lora_B.weight", b);
    EXPECT_THAT(refusal(folder).what(), AllOf(HasSubstr(kQ), HasSubstr(message)));
  };
  says({2, 256}, {256, 3}, "rank 3, but A of its module has 2");
  says({3, 256}, {256, 3}, "rank 3, but adapter_config.json says 2");
  says({2, 16, 3}, {256, 2}, "not of convolutions");
  says({0, 256}, {256, 0}, "want a matrix");
  says({2, 256}, {250, 2}, "does not divide");
}

TEST(PeftAdapter, RefusesValuesThatAreNotFinite) {
  PeftFolder folder;
  folder.tensor("lm_head.lora_A.weight", {2, 1}, {1, std::numeric_limits<float>::infinity()});
  folder.tensor("lm_head.lora_B.weight", {1, 2});
  const Error e = refusal(folder);
  EXPECT_EQ(e.code(), Errc::kBadFile);
  EXPECT_THAT(e.what(), AllOf(HasSubstr("output.weight"), HasSubstr("value 1 of it is not finite")));
}

TEST(PeftAdapter, RefusesConfigurationsByKey) {
  const auto says = [](const nlohmann::json& changes, const char* message) {
    PeftFolder folder;
    folder.module(kQ, 256, 256);
    folder.config.update(changes);
    EXPECT_THAT(refusal(folder).what(), AllOf(HasSubstr("adapter_config.json"), HasSubstr(message)));
  };
  says({{"r", 0}}, "r: want a number from 1");
  says({{"r", "8"}}, "r: want a whole number");
  says({{"lora_alpha", nullptr}}, "lora_alpha: missing");
  says({{"peft_type", nullptr}}, "peft_type: missing");
  says({{"alpha_pattern", {{"q_proj", "x"}}}}, "alpha_pattern.q_proj: want a number");
  says({{"rank_pattern", {1}}}, "rank_pattern: want an object");
  says({{"rank_pattern", {{"(q_proj", 1}}}}, "missing closing parenthesis");
  says({{"alora_invocation_tokens", {-1}}}, "alora_invocation_tokens[0]: want a number from 0");
}

TEST(PeftAdapter, SaysWhatIsThereInstead) {
  PeftFolder folder;
  folder.dir().write("adapter_config.json", folder.config.dump());
  const auto message = [&] {
    return std::string(test::error_of([&] { read_peft_adapter(folder.dir().path(""), llama()); }).what());
  };
  EXPECT_THAT(message(), HasSubstr("but no adapter_model.safetensors"));
  folder.dir().write("adapter_model.bin", "");
  EXPECT_THAT(message(), HasSubstr("adapter_model.bin, which only Python can read safely"));
  folder.dir().write("adapter_model.safetensors", "version https://git-lfs.github.com/spec/v1\n");
  EXPECT_THAT(message(), HasSubstr("Git LFS pointer"));
}

}  // namespace
}  // namespace skald
