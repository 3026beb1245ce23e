// Shared by NVIDIA's Nemotron-H families: keys and rows of tables.
#pragma once

#include "convert/tables.h"

namespace skald {

/// Returns whether some layer has experts.
bool has_nemotron_experts(const HfConfig& c);

/// All keys; of layers, the kind of each one's only block.
void nemotron_keys(const HfConfig& c, Hyperparameters& out);

inline constexpr std::string_view kReluSquared[] = {"relu2"};

/// Attention, and feed-forwards without a gate.
inline constexpr TensorRule kNemotron[] = {
    {"blk.#.attn_q", "backbone.layers.#.mixer.q_proj"},
    {"blk.#.attn_k", "backbone.layers.#.mixer.k_proj"},
    {"blk.#.attn_v", "backbone.layers.#.mixer.v_proj"},
    {"blk.#.attn_output", "backbone.layers.#.mixer.o_proj"},
    {"blk.#.ffn_up", "backbone.layers.#.mixer.up_proj"},
    {"blk.#.ffn_down", "backbone.layers.#.mixer.down_proj"},
    {"blk.#.ffn_gate_inp", "backbone.layers.#.mixer.gate"},
    {"blk.#.exp_probs_b.bias", "backbone.layers.#.mixer.gate.e_score_correction_bias"},
    {"blk.#.ffn_up_exps.weight", "backbone.layers.#.mixer.experts.@.up_proj.weight"},
    {"blk.#.ffn_down_exps.weight", "backbone.layers.#.mixer.experts.@.down_proj.weight"},
    {"blk.#.ffn_up_exps.weight", "backbone.layers.#.mixer.experts.up_proj"},
    {"blk.#.ffn_down_exps.weight", "backbone.layers.#.mixer.experts.down_proj"},
    {"blk.#.ffn_up_shexp", "backbone.layers.#.mixer.shared_experts.up_proj"},
    {"blk.#.ffn_down_shexp", "backbone.layers.#.mixer.shared_experts.down_proj"},
    {"blk.#.ffn_latent_down", "backbone.layers.#.mixer.fc1_latent_proj"},
    {"blk.#.ffn_latent_up", "backbone.layers.#.mixer.fc2_latent_proj"},
};

/// A layer that predicts further tokens: attention and a feed-forward, which checkpoints keep as two.
void nemotron_layers_ahead(int64_t n, const MetaView& m, Hyperparameters& out);
inline constexpr TensorRule kNemotronMtp[] = {
    {"blk.#.nextn.eh_proj", "mtp.layers.0.eh_proj"},
    {"blk.#.nextn.enorm", "mtp.layers.0.enorm"},
    {"blk.#.nextn.hnorm", "mtp.layers.0.hnorm"},
    {"blk.#.post_attention_norm", "mtp.layers.1.norm"},
    {"blk.#.nextn.shared_head_norm", "mtp.layers.1.final_layernorm"},
};
inline constexpr TablesAhead kNemotronAhead{
    .blocks = {"mtp.layers.0", "mtp.layers.1"}, .tensors = kNemotronMtp, .describe = nemotron_layers_ahead};

}  // namespace skald
