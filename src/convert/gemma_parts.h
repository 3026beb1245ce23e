// Shared by Gemma 3n and Gemma 4: keys and rows of tables.
#pragma once

#include "convert/tables.h"

namespace skald {

/// Writes sizes, windows, the rotary embedding of layers with one, embeddings of layers and caches that layers share. The
/// keys and values of layers that read another one's cache are left out of the checkpoint.
void small_gemma_keys(const HfConfig& c, Hyperparameters& out);

inline constexpr TensorRule kLayerEmbeddings[] = {
    {"blk.#.attn_norm", "model.layers.#.input_layernorm"},
    {"blk.#.ffn_norm", "model.layers.#.pre_feedforward_layernorm"},
    {"per_layer_token_embd", "model.embed_tokens_per_layer"},
    {"per_layer_model_proj", "model.per_layer_model_projection"},
    {"per_layer_proj_norm", "model.per_layer_projection_norm"},
    {"blk.#.inp_gate", "model.layers.#.per_layer_input_gate"},
    {"blk.#.proj", "model.layers.#.per_layer_projection"},
    {"blk.#.post_norm", "model.layers.#.post_per_layer_input_norm"},
};

}  // namespace skald
