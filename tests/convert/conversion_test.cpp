#include "convert/conversion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include "quant/encoder.h"
#include "quant/registry.h"
#include "tests/convert/hf_folder.h"
#include "tests/support/errors.h"
#include "tests/support/random.h"

namespace skald {
namespace {

using nlohmann::json;
using test::HfFolder;
using test::SafetensorsBytes;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Tensors = std::map<std::string, std::vector<int64_t>>;

const json kConfig = {{"architectures", {"LlamaForCausalLM"}},
                      {"hidden_size", 48},
                      {"intermediate_size", 64},
                      {"num_hidden_layers", 1},
                      {"num_attention_heads", 2},
                      {"max_position_embeddings", 16},
                      {"rms_norm_eps", 1e-5},
                      {"vocab_size", 10}};

// A Llama of one layer.
Tensors llama() {
  const std::string layer = "model.layers.0.";
  return {{"model.embed_tokens.weight", {10, 48}},       {"model.norm.weight", {48}},
          {layer + "input_layernorm.weight", {48}},      {layer + "post_attention_layernorm.weight", {48}},
          {layer + "self_attn.q_proj.weight", {48, 48}}, {layer + "self_attn.k_proj.weight", {48, 48}},
          {layer + "self_attn.v_proj.weight", {48, 48}}, {layer + "self_attn.o_proj.weight", {48, 48}},
          {layer + "mlp.gate_proj.weight", {64, 48}},    {layer + "mlp.up_proj.weight", {64, 48}},
          {layer + "mlp.down_proj.weight", {48, 64}}};
}

// The tensors with numbers in f32.
SafetensorsBytes file_of(const Tensors& tensors) {
  SafetensorsBytes out;
  uint64_t seed = 1;
  for (const auto& [name, shape] : tensors) {
    int64_t n = 1;
    for (const int64_t d : shape) n *= d;
    out.tensor(name, "F32", shape, test::normal(n, seed++));
  }
  return out;
}

struct Folder : HfFolder {
  explicit Folder(const json& config, const Tensors& tensors) : HfFolder(config) { checkpoint(file_of(tensors)); }
  std::unique_ptr<Conversion> convert(const std::string& type = "") const {
    return std::make_unique<Conversion>(open(), ConvertOptions{.type = type, .need_tokenizer = false});
  }
  Error error() const {
    return test::error_of([&] { convert(); });
  }
};

const Conversion::Tensor& find(const Conversion& c, const std::string& name) {
  for (const Conversion::Tensor& t : c.tensors())
    if (t.name == name) return t;
  throw std::runtime_error("no tensor " + name);
}

std::string given(const Conversion& c, const std::string& name, int threads = 1) {
  ThreadPool pool(threads);
  std::string out;
  c.give(find(c, name), pool,
         [&](std::span<const std::byte> piece) { out.append(reinterpret_cast<const char*>(piece.data()), piece.size()); });
  return out;
}

TEST(Conversion, KeepsTheCheckpointsTypeUnlessAnotherIsWanted) {
  const Folder folder(kConfig, llama());
  EXPECT_EQ(find(*folder.convert(), "blk.0.attn_q.weight").desc.format->name, "f32");
  EXPECT_EQ(find(*folder.convert("f16"), "blk.0.attn_q.weight").desc.format->name, "f16");
  EXPECT_EQ(find(*folder.convert("f16"), "output_norm.weight").desc.format->name, "f32") << "norms are f32 always";
  EXPECT_EQ(folder.convert()->meta().i64("general.file_type"), 0);
  EXPECT_EQ(folder.convert("f16")->meta().i64("general.file_type"), 1);
  const Error e = test::error_of([&] { folder.convert("q9_9"); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_THAT(e.what(), AllOf(HasSubstr("type \"q9_9\""), HasSubstr("q8_0")));
}

TEST(Conversion, RowsThatAreNoWholeBlocksBecomeF16) {
  const Folder folder(kConfig, llama());
  const auto c = folder.convert("q8_0");
  EXPECT_EQ(find(*c, "blk.0.attn_q.weight").desc.format->name, "f16") << "rows of 48";
  EXPECT_EQ(find(*c, "blk.0.ffn_down.weight").desc.format->name, "q8_0") << "rows of 64";
  EXPECT_EQ(c->meta().i64("general.file_type"), 7);
}

TEST(Conversion, BytesDoNotDependOnThreads) {
  const Folder folder(kConfig, llama());
  const auto c = folder.convert("q8_0");
  for (const char* name : {"blk.0.attn_q.weight", "blk.0.ffn_down.weight"})
    EXPECT_EQ(given(*c, name, 1), given(*c, name, 3));
}

TEST(Conversion, GivesTheSameBytesAgain) {
  const Folder folder(kConfig, llama());
  const auto c = folder.convert();
  EXPECT_EQ(given(*c, "blk.0.attn_q.weight"), given(*c, "blk.0.attn_q.weight"))
      << "pages that were given back are read anew";
}

TEST(Conversion, WhatLiesAsWantedIsNotCopied) {
  const Folder folder(kConfig, llama());
  const auto c = folder.convert();
  const auto there = c->in_place(find(*c, "blk.0.ffn_up.weight"));
  ASSERT_TRUE(there.has_value());
  const std::string bytes = given(*c, "blk.0.ffn_up.weight");
  EXPECT_EQ(std::memcmp(there->data(), bytes.data(), bytes.size()), 0);
  EXPECT_FALSE(c->in_place(find(*c, "blk.0.attn_q.weight")).has_value()) << "its rows are reordered";
  EXPECT_FALSE(folder.convert("f16")->in_place(find(*folder.convert("f16"), "blk.0.ffn_up.weight")).has_value());
}

TEST(Conversion, MissingTensorsAreNamedAsTheCheckpointWouldHaveThem) {
  Tensors tensors = llama();
  tensors.erase("model.layers.0.mlp.up_proj.weight");
  const Error e = Folder(kConfig, tensors).error();
  EXPECT_EQ(e.code(), Errc::kNotFound);
  EXPECT_THAT(e.what(), HasSubstr("the checkpoint has no model.layers.0.mlp.up_proj.weight: tensor blk.0.ffn_up.weight"));
  tensors = llama();
  tensors.erase("model.embed_tokens.weight");
  EXPECT_THAT(Folder(kConfig, tensors).error().what(), HasSubstr("the checkpoint has no model.embed_tokens.weight"));
}

TEST(Conversion, TensorsWithoutAMeaningAreNamed) {
  Tensors tensors = llama();
  tensors["model.layers.0.mlp.extra.weight"] = {48};
  EXPECT_EQ(Folder(kConfig, tensors).error().code(), Errc::kUnsupported);
  EXPECT_THAT(Folder(kConfig, tensors).error().what(), HasSubstr("no meaning: model.layers.0.mlp.extra.weight"));
  tensors = llama();
  tensors["model.layers.1.input_layernorm.weight"] = {48};
  EXPECT_THAT(Folder(kConfig, tensors).error().what(), HasSubstr("model.layers.1.input_layernorm.weight"))
      << "a layer more than the configuration says";
}

TEST(Conversion, BallastIsLeftOut) {
  Tensors tensors = llama();
  tensors["model.layers.0.self_attn.rotary_emb.inv_freq"] = {12};
  tensors["vision_tower.patch.weight"] = {3, 3};
  EXPECT_EQ(Folder(kConfig, tensors).convert()->tensors().size(), llama().size());
}

TEST(Conversion, WrongShapesAreNamed) {
  Tensors tensors = llama();
  tensors["model.layers.0.mlp.up_proj.weight"] = {63, 48};
  EXPECT_THAT(Folder(kConfig, tensors).error().what(),
              HasSubstr("tensor blk.0.ffn_up.weight: want (64, 48), file has (63, 48)"));
  tensors = llama();
  tensors["model.layers.0.self_attn.q_proj.weight"] = {47, 48};
  EXPECT_THAT(Folder(kConfig, tensors).error().what(),
              HasSubstr("tensor model.layers.0.self_attn.q_proj.weight: dimension 0 of (47, 48) does not divide"));
}

TEST(Conversion, AnOutputMatrixIsACopyWhereEmbeddingsAreTied) {
  Tensors tensors = llama();
  tensors["lm_head.weight"] = {10, 48};
  json config = kConfig;
  EXPECT_EQ(Folder(config, tensors).convert()->tensors().size(), tensors.size()) << "the settings do not say that they are";
  config["tie_word_embeddings"] = true;
  EXPECT_EQ(Folder(config, tensors).convert()->tensors().size(), tensors.size()) << "it is another one";
}

TEST(Conversion, ConfigurationsThatCannotBe) {
  const auto bad = [](const json& patch, const std::string& message) {
    json config = kConfig;
    config.merge_patch(patch);
    EXPECT_THAT(Folder(config, llama()).error().what(), HasSubstr(message)) << patch;
  };
  bad({{"architectures", {"NoSuchModel"}}}, "architectures: \"NoSuchModel\" cannot be converted; known: ");
  bad({{"architectures", nullptr}}, "none cannot be converted");
  bad({{"hidden_size", nullptr}}, "hidden_size or n_embd or d_model or n_embed is missing");
  bad({{"hidden_size", -3}}, "want a whole number");
  bad({{"num_hidden_layers", 100000000}}, "want 1 to 10000");
  bad({{"num_hidden_layers", 0}}, "want 1 to 10000");
  bad({{"num_attention_heads", 0}}, "number of attention heads is 0");
  bad({{"num_attention_heads", 5}}, "does not divide");
  bad({{"rope_scaling", {{"type", "magic"}, {"factor", 2}}}}, "RoPE of type \"magic\" is not supported");
  bad({{"rope_theta", 0}}, "RoPE of base 0");
  bad({{"head_dim", 4294967295}}, "head_dim: want at most 65536");
  bad({{"hidden_size", 4294967295}, {"rope_scaling", {{"rope_type", "llama3"}}}}, "RoPE over ");
  bad({{"partial_rotary_factor", 0.5}}, "partial_rotary_factor: 0.5 is not supported");
  bad({{"rope_parameters", {{"partial_rotary_factor", 0.5}}}}, "partial_rotary_factor: 0.5 is not supported");
  bad({{"is_causal", false}}, "is_causal: false is not supported");
  bad({{"use_bidirectional_attention", true}}, "use_bidirectional_attention: true is not supported");
  bad({{"hidden_act", "silu"}, {"hidden_activation", "relu"}}, "hidden_activation: \"relu\" is not supported");
}

TEST(Conversion, TakesDenseLayersAfterThePooling) {
  const Folder folder(kConfig, llama());
  folder.write("modules.json", R"([{"path": "2_Dense", "type": "a.Dense"}])");
  std::filesystem::create_directory(folder.path() + "/2_Dense");
  folder.write("2_Dense/config.json", R"({"bias": false})");
  folder.write("2_Dense/model.safetensors", file_of({{"linear.weight", {5, 48}}}).str());
  EXPECT_EQ(find(*folder.convert(), "dense_2.weight").desc.shape, (Shape{5, 48}));
  folder.write("2_Dense/model.safetensors", file_of({{"linear.weight", {5, 7}}}).str());
  EXPECT_THAT(folder.error().what(), HasSubstr("dense_2"));
}

TEST(Conversion, TensorsOfOtherTypesThanFloatsAreMissing) {
  const HfFolder folder(kConfig);
  Tensors tensors = llama();
  tensors.erase("model.norm.weight");
  folder.checkpoint(file_of(tensors).tensor<int32_t>("model.norm.weight", "I32", {48}, std::vector<int32_t>(48, 1)));
  const Error e = test::error_of([&] { Conversion c(folder.open(), {.need_tokenizer = false}); });
  EXPECT_THAT(e.what(), HasSubstr("the checkpoint has no model.norm.weight"));
}

TEST(Conversion, F8BecomesBf16TimesItsScale) {
  const HfFolder folder(kConfig);
  Tensors tensors = llama();
  tensors.erase("model.layers.0.mlp.up_proj.weight");
  folder.checkpoint(
      file_of(tensors)
          .tensor("model.layers.0.mlp.up_proj.weight", "F8_E4M3", {64, 48}, std::vector<uint8_t>(64 * 48, 0x38))
          .tensor<float>("model.layers.0.mlp.up_proj.weight_scale_inv", "F32", {1, 1}, {0.5F}));
  const Conversion c(folder.open(), {.need_tokenizer = false});
  EXPECT_EQ(find(c, "blk.0.ffn_up.weight").desc.format->name, "bf16");
  const std::string bytes = given(c, "blk.0.ffn_up.weight");
  uint16_t first = 0;
  std::memcpy(&first, bytes.data(), sizeof first);
  EXPECT_EQ(first, 0x3f00) << "0.5";
}

TEST(Conversion, WritesEveryTypeThatHasAnEncoder) {
  const Folder folder(kConfig, llama());
  const auto exact = folder.convert("f32");
  const std::string bytes = given(*exact, "blk.0.ffn_down.weight");
  const auto* want = reinterpret_cast<const float*>(bytes.data());
  for (const Format* format : formats()) {
    if (!has_encoder(*format) || 64 % format->block) continue;
    const auto c = folder.convert(std::string(format->name));
    const std::string blocks = given(*c, "blk.0.ffn_down.weight");
    std::vector<float> got(48 * 64);
    format->decode(blocks.data(), got.data(), static_cast<int64_t>(got.size()));
    double error = 0;
    for (size_t i = 0; i < got.size(); ++i) error += std::pow(got[i] - want[i], 2);
    const double most = format->block_bytes * 8 < 3 * format->block ? 0.4 : 0.15;  // four levels cannot do better than 0.34
    EXPECT_LT(std::sqrt(error / static_cast<double>(got.size())), most) << format->name << ": numbers spread by 1";
  }
}

TEST(Conversion, NumbersThatTheTypeCannotHoldAreErrors) {
  for (const auto& [value, message] :
       {std::pair{NAN, "is not finite"}, {INFINITY, "is not finite"}, {7e4F, "is more than f16 holds"}}) {
    std::vector<float> x(64 * 48, 1);
    x[100] = value;
    const HfFolder folder(kConfig);
    Tensors tensors = llama();
    tensors.erase("model.layers.0.mlp.up_proj.weight");
    folder.checkpoint(file_of(tensors).tensor("model.layers.0.mlp.up_proj.weight", "F32", {64, 48}, x));
    const Conversion c(folder.open(), {.type = "f16", .need_tokenizer = false});
    const Error e = test::error_of([&] { given(c, "blk.0.ffn_up.weight"); });
    EXPECT_EQ(e.code(), Errc::kBadFile);
    EXPECT_THAT(e.what(), AllOf(HasSubstr("tensor model.layers.0.mlp.up_proj.weight"), HasSubstr(message)));
  }
}

TEST(Conversion, NameAndSizeAreWritten) {
  const Folder folder(kConfig, llama());
  EXPECT_EQ(folder.convert()->meta().str("general.name"), HfDirectory(folder.path()).name());
  EXPECT_EQ(folder.convert()->meta().str("general.size_label"), "19K");
}

}  // namespace
}  // namespace skald
