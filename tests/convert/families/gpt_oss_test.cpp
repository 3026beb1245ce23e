#include <cmath>

#include "tests/convert/family_case.h"

namespace skald {
namespace {

using test::attention;
using test::Back;
using test::expect_conversion;
using test::gated_ffn;

constexpr int64_t kExperts = 4, kModel = 64, kFf = 64;

// gate and up (experts, ff, model): (experts, model, 2 ff), a value of each in turns.
std::pair<size_t, int64_t> in_turns(int64_t i) {
  const int64_t expert = i / (kModel * 2 * kFf), row = i / (2 * kFf) % kModel, col = i % (2 * kFf);
  return {col % 2, (expert * kFf + col / 2) * kModel + row};
}
std::pair<size_t, int64_t> bias_in_turns(int64_t i) { return {i % 2, i / 2}; }

void all_but_experts(Back& b) {
  attention(b);
  b.add_named("blk.#.attn_sinks.weight", "model.layers.#.self_attn.sinks");
  b.add("blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm");
  b.add("blk.#.ffn_gate_inp", "model.layers.#.mlp.router");
}

void gpt_oss(Back& b) {
  all_but_experts(b);
  const std::string experts = "model.layers.#.mlp.experts.";
  b.join({"blk.#.ffn_gate_exps.weight", "blk.#.ffn_up_exps.weight"}, experts + "gate_up_proj", {kExperts, kModel, 2 * kFf},
         in_turns);
  b.join({"blk.#.ffn_gate_exps.bias", "blk.#.ffn_up_exps.bias"}, experts + "gate_up_proj_bias", {kExperts, 2 * kFf},
         bias_in_turns);
  b.add_named("blk.#.ffn_down_exps.weight", experts + "down_proj", test::transposed);
  b.add_named("blk.#.ffn_down_exps.bias", experts + "down_proj_bias");
}

TEST(HfFamilyGptOss, ExpertsAsMatrices) {
  expect_conversion({"gptoss", R"({"architectures": ["GptOssForCausalLM"], "num_local_experts": 4, "num_experts_per_tok": 2,
      "sliding_window": 64, "rope_parameters": {"rope_type": "yarn", "factor": 8.0, "rope_theta": 150000, "beta_fast": 32.0,
        "beta_slow": 1.0, "original_max_position_embeddings": 64}})",
                     gpt_oss});
}

TEST(HfFamilyGptOss, YarnWithoutTruncation) {
  expect_conversion({"gptoss_notrunc", R"({"architectures": ["GptOssForCausalLM"], "num_local_experts": 4,
      "experts_per_token": 2, "num_experts_per_tok": 2, "sliding_window": 64,
      "rope_scaling": {"rope_type": "yarn", "factor": 8.0, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": false,
        "original_max_position_embeddings": 64}})",
                     gpt_oss});
}

// As published: codes of two elements in a byte, a scale for 32; rows as in a GGUF file, but gate and up in turns.
struct Mx {
  std::vector<uint8_t> codes, scales;
  Mx(int64_t rows, int64_t cols)
      : codes(static_cast<size_t>(rows * cols / 2)), scales(static_cast<size_t>(rows * cols / 32)) {
    for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<uint8_t>(i * 37 + i / 16 * 5 + 3);
    for (size_t i = 0; i < scales.size(); ++i) scales[i] = static_cast<uint8_t>(120 + i % 11);
  }
  float value(int64_t i) const {
    constexpr float kLevels[] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
    const int code = codes[static_cast<size_t>(i / 2)] >> (i % 2 * 4) & 15;
    return std::ldexp(code & 8 ? -kLevels[code & 7] : kLevels[code], scales[static_cast<size_t>(i / 32)] - 127);
  }
};

TEST(HfFamilyGptOss, ExpertsInMxfp4StayThat) {
  const Gguf golden = Gguf::open((test::data_dir() / "golden/gptoss/model.gguf").string(), FileBytes::How::kMap);
  const test::HfFolder folder(test::config_of(golden, R"({"architectures": ["GptOssForCausalLM"], "num_local_experts": 4,
      "num_experts_per_tok": 2, "sliding_window": 64, "quantization_config": {"quant_method": "mxfp4"}})"));
  const Mx gate_up(kExperts * 2 * kFf, kModel), down(kExperts * kModel, kFf);
  test::SafetensorsBytes checkpoint;
  Back b(golden, checkpoint);
  all_but_experts(b);
  b.join({"blk.#.ffn_gate_exps.bias", "blk.#.ffn_up_exps.bias"}, "model.layers.#.mlp.experts.gate_up_proj_bias",
         {kExperts, 2 * kFf}, bias_in_turns);
  b.add_named("blk.#.ffn_down_exps.bias", "model.layers.#.mlp.experts.down_proj_bias");
  for (const std::string layer : {"0", "1"}) {
    const std::string experts = "model.layers." + layer + ".mlp.experts.";
    checkpoint.tensor(experts + "gate_up_proj_blocks", "U8", {kExperts, 2 * kFf, kModel / 32, 16}, gate_up.codes)
        .tensor(experts + "gate_up_proj_scales", "U8", {kExperts, 2 * kFf, kModel / 32}, gate_up.scales)
        .tensor(experts + "down_proj_blocks", "U8", {kExperts, kModel, kFf / 32, 16}, down.codes)
        .tensor(experts + "down_proj_scales", "U8", {kExperts, kModel, kFf / 32}, down.scales);
  }
  folder.checkpoint(checkpoint);
  const Conversion conversion(folder.open(), {.need_tokenizer = false});
  const auto values = [&](const char* name) {
    const auto t = std::ranges::find(conversion.tensors(), name, &Conversion::Tensor::name);
    EXPECT_EQ(t->desc.format->name, "mxfp4");
    std::vector<float> out(static_cast<size_t>(t->desc.shape.elements()));
    t->desc.format->decode(test::bytes_of(conversion, *t).data(), out.data(), t->desc.shape.elements());
    return out;
  };
  const std::vector<float> gate = values("blk.1.ffn_gate_exps.weight"), up = values("blk.1.ffn_up_exps.weight"),
                           whole = values("blk.0.ffn_down_exps.weight");
  for (int64_t i = 0; i < kExperts * kFf * kModel; ++i) {
    const int64_t row = i / kModel, col = i % kModel;
    const auto at = static_cast<size_t>(i);
    ASSERT_EQ(gate[at], gate_up.value(2 * row * kModel + col)) << i;
    ASSERT_EQ(up[at], gate_up.value((2 * row + 1) * kModel + col)) << i;
    ASSERT_EQ(whole[at], down.value(i)) << i;
  }
}

}  // namespace
}  // namespace skald
