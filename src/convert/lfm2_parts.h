// Shared by Liquid AI's LFM2 families: keys and rows of tables.
#pragma once

#include "convert/tables.h"

namespace skald {

/// Sizes, the rotary embedding, and which layers have attention.
void lfm2_keys(const HfConfig& c, Hyperparameters& out);

inline constexpr TensorRule kLfm2[] = {
    {"token_embd_norm", "model.embedding_norm"},  // the last norm, by any name
    {"blk.#.attn_norm", "model.layers.#.operator_norm"},
    {"blk.#.ffn_norm", "model.layers.#.ffn_norm"},
    {"blk.#.attn_q_norm", "model.layers.#.self_attn.q_layernorm"},
    {"blk.#.attn_k_norm", "model.layers.#.self_attn.k_layernorm"},
    {"blk.#.attn_output", "model.layers.#.self_attn.out_proj"},
    {"blk.#.shortconv.conv.weight", "model.layers.#.conv.conv.weight", filters},
    {"blk.#.shortconv.in_proj", "model.layers.#.conv.in_proj"},
    {"blk.#.shortconv.out_proj", "model.layers.#.conv.out_proj"},
    {"blk.#.ffn_gate", "model.layers.#.feed_forward.w1"},
    {"blk.#.ffn_down", "model.layers.#.feed_forward.w2"},
    {"blk.#.ffn_up", "model.layers.#.feed_forward.w3"},
};

}  // namespace skald
