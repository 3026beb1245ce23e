// Shared by Qwen3-Next and Qwen3.5: keys and rows of tables.
#pragma once

#include "convert/tables.h"

namespace skald {

/// Sizes, the rotary embedding, those of gated delta nets, and which layers have these.
void qwen_hybrid_keys(const HfConfig& c, Hyperparameters& out);

/// Of Qwen3.5, whose value heads lie by key heads in a checkpoint and take turns in a file. They are rows of values, of
/// queries, keys and values, of a number for each head, or columns of values.
LazyTensor tiled_values(const StoredView& in, const MetaView& m);
LazyTensor tiled_qkv(const StoredView& in, const MetaView& m);
LazyTensor tiled_heads(const StoredView& in, const MetaView& m);
LazyTensor tiled_rates(const StoredView& in, const MetaView& m);
LazyTensor tiled_columns(const StoredView& in, const MetaView& m);

/// All but the feed-forwards' tensors.
inline constexpr TensorRule kQwenHybrid[] = {
    {"output_norm", "model.norm", plus_one},
    {"blk.#.attn_norm", "model.layers.#.input_layernorm", plus_one},
    {"blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm", plus_one},
    {"blk.#.attn_q_norm", "model.layers.#.self_attn.q_norm", plus_one},
    {"blk.#.attn_k_norm", "model.layers.#.self_attn.k_norm", plus_one},
    {"blk.#.ssm_norm", "model.layers.#.linear_attn.norm"},
};
inline constexpr TensorRule kTiledDeltaNet[] = {
    {"blk.#.attn_qkv", "model.layers.#.linear_attn.in_proj_qkv", tiled_qkv},
    {"blk.#.attn_gate", "model.layers.#.linear_attn.in_proj_z", tiled_values},
    {"blk.#.ssm_alpha", "model.layers.#.linear_attn.in_proj_a", tiled_heads},
    {"blk.#.ssm_beta", "model.layers.#.linear_attn.in_proj_b", tiled_heads},
    {"blk.#.ssm_conv1d", "model.layers.#.linear_attn.conv1d", tiled_qkv},
    {"blk.#.ssm_a", "model.layers.#.linear_attn.A_log", tiled_rates, kWholeName},
    {"blk.#.ssm_dt.bias", "model.layers.#.linear_attn.dt_bias", tiled_heads},
    {"blk.#.ssm_out", "model.layers.#.linear_attn.out_proj", tiled_columns},
};

/// Layers that predict further tokens: they attend.
void qwen_layers_ahead(int64_t n, const MetaView& m, Hyperparameters& out);
inline constexpr TensorRule kQwenMtp[] = {
    {"blk.#.nextn.eh_proj", "mtp.fc"},
    {"blk.#.nextn.enorm", "mtp.pre_fc_norm_embedding", plus_one},
    {"blk.#.nextn.hnorm", "mtp.pre_fc_norm_hidden", plus_one},
    {"blk.#.nextn.shared_head_norm", "mtp.norm", plus_one},
};
inline constexpr TablesAhead kQwenAhead{.blocks = {kMtpBlock}, .tensors = kQwenMtp, .describe = qwen_layers_ahead};

}  // namespace skald
