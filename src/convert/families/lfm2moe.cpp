// LFM2 with experts.
#include "convert/expert_keys.h"
#include "convert/layer_keys.h"
#include "convert/lfm2_parts.h"

namespace skald {
namespace {

constexpr std::string_view kLfm2moeClasses[] = {"Lfm2MoeForCausalLM"};

constexpr TensorRule kExpertsOfLayers[] = {
    {"blk.#.ffn_gate_inp", "model.layers.#.feed_forward.gate"},
    {"blk.#.exp_probs_b.bias", "model.layers.#.feed_forward.expert_bias"},
    {"blk.#.ffn_gate_exps.weight", "model.layers.#.feed_forward.experts.@.w1.weight"},
    {"blk.#.ffn_down_exps.weight", "model.layers.#.feed_forward.experts.@.w2.weight"},
    {"blk.#.ffn_up_exps.weight", "model.layers.#.feed_forward.experts.@.w3.weight"},
    {"blk.#.ffn_gate_exps.weight", "model.layers.#.feed_forward.experts.gate_up_proj", first_half},
    {"blk.#.ffn_up_exps.weight", "model.layers.#.feed_forward.experts.gate_up_proj", second_half},
    {"blk.#.ffn_down_exps.weight", "model.layers.#.feed_forward.experts.down_proj"},
};

void describe_lfm2moe(const HfConfig& c, Hyperparameters& out) {
  lfm2_keys(c, out);
  expert_keys(c, out);
  out.size("leading_dense_block_count", dense_layers(c, 2));
  routing_keys(c, out);
  c.pass_over("use_expert_bias");  // its tensors say the same
}

}  // namespace

extern const HfFamily hf_family_lfm2moe;
const HfFamily hf_family_lfm2moe{.classes = kLfm2moeClasses,
                                 .arch = "lfm2moe",
                                 .describe = describe_lfm2moe,
                                 .tensors = {kOuter, kLfm2, kAttention, kExpertsOfLayers},
                                 .defaults = R"({"rope_theta": 1e6, "tie_word_embeddings": true})"};

}  // namespace skald
