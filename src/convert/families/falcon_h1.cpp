// Falcon-H1. Its multipliers are in its weights.
#include <array>

#include "base/error.h"
#include "convert/mamba_keys.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kFalconH1Classes[] = {"FalconH1ForCausalLM"};

constexpr TensorRule kFalconH1Tensors[] = {
    {"output_norm", "model.final_layernorm"},
    {"blk.#.attn_norm", "model.layers.#.input_layernorm"},
    {"blk.#.ffn_norm", "model.layers.#.pre_ff_layernorm.weight", nullptr, kWholeName},
    {"blk.#.ffn_gate", "model.layers.#.feed_forward.gate_proj"},
    {"blk.#.ffn_up", "model.layers.#.feed_forward.up_proj"},
    {"blk.#.ffn_down", "model.layers.#.feed_forward.down_proj"},
};

// Rows of z, x, B, C and dt have a factor each.
void multiply_mamba(const HfConfig& c, const Mamba2Sizes& s, Hyperparameters& out) {
  const float in = c.f32("ssm_in_multiplier", 1);
  const std::vector<float> each = c.floats("ssm_multipliers", {1, 1, 1, 1, 1});
  const int64_t d_bc = s.groups * s.d_state;
  const std::array<int64_t, 5> rows = {s.d_inner(), s.d_inner(), d_bc, d_bc, s.heads};
  std::vector<RowFactor> runs;
  for (size_t i = 0; i < rows.size(); ++i) runs.push_back({rows[i], in * each[i]});
  out.multiply("blk.#.ssm_in.weight", runs);
  out.multiply("blk.#.ssm_out.weight", c.f32("ssm_out_multiplier", 1));
}

void multiply_others(const HfConfig& c, Hyperparameters& out) {
  const float in = c.f32("attention_in_multiplier", 1);
  const std::vector<float> ffn = c.floats("mlp_multipliers", {1, 1});
  out.multiply("token_embd.weight", c.f32("embedding_multiplier", 1));
  out.multiply("output.weight", c.f32("lm_head_multiplier", 1));
  out.multiply("blk.#.attn_q.weight", in);
  out.multiply("blk.#.attn_k.weight", in * c.f32("key_multiplier", 1));
  out.multiply("blk.#.attn_v.weight", in);
  out.multiply("blk.#.attn_output.weight", c.f32("attention_out_multiplier", 1));
  out.multiply("blk.#.ffn_gate.weight", ffn[0]);
  out.multiply("blk.#.ffn_down.weight", ffn[1]);
}

void describe_falcon_h1(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "attention_bias", false, false);  // multipliers would be in biases too
  require_flag(c, "mlp_bias", false, false);
  require_flag(c, "projectors_bias", false, false);
  require_flag(c, "mamba_proj_bias", false, false);
  if (c.flag("tie_word_embeddings", false) && c.f32("embedding_multiplier", 1) != c.f32("lm_head_multiplier", 1))
    fail(Errc::kUnsupported, "config.json: tie_word_embeddings: one matrix cannot have two multipliers");
  decoder_keys(c, out);
  out.size("vocab_size", c.i64("vocab_size"));
  rope_keys(c, out, c.d_head());
  multiply_mamba(c, mamba2_keys(c, out, /*expanded=*/true), out);
  multiply_others(c, out);
}

}  // namespace

extern const HfFamily hf_family_falcon_h1;
const HfFamily hf_family_falcon_h1{.classes = kFalconH1Classes,
                                   .arch = "falcon-h1",
                                   .describe = describe_falcon_h1,
                                   .tensors = {kFalconH1Tensors, kOuter, kAttention, kMamba2},
                                   .hidden_factors = true};

}  // namespace skald
