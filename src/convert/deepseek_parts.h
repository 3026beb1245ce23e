// Shared by DeepSeek and models built like it: latent attention, and the routing of tokens to experts.
#pragma once

#include "convert/tables.h"

namespace skald {

/// Take apart the matrix that makes keys and values of latent vectors. The part for keys is (heads, rank, d), since they
/// meet the queries, that for values (heads, d, rank).
LazyTensor latent_keys(const StoredView& in, const MetaView& m);
LazyTensor latent_values(const StoredView& in, const MetaView& m);

/// All keys of DeepSeek-V2 and later ones.
void deepseek_keys(const HfConfig& c, Hyperparameters& out);
/// And those of the indexer, which picks the tokens that a query attends to.
void indexer_keys(const HfConfig& c, Hyperparameters& out);

inline constexpr TensorRule kLatent[] = {
    {"blk.#.attn_q", "model.layers.#.self_attn.q_proj"},
    {"blk.#.attn_q_a", "model.layers.#.self_attn.q_a_proj"},
    {"blk.#.attn_q_a_norm", "model.layers.#.self_attn.q_a_layernorm"},
    {"blk.#.attn_q_b", "model.layers.#.self_attn.q_b_proj"},
    {"blk.#.attn_kv_a_mqa", "model.layers.#.self_attn.kv_a_proj_with_mqa"},
    {"blk.#.attn_kv_a_norm", "model.layers.#.self_attn.kv_a_layernorm"},
    {"blk.#.attn_k_b.weight", "model.layers.#.self_attn.kv_b_proj.weight", latent_keys},
    {"blk.#.attn_v_b.weight", "model.layers.#.self_attn.kv_b_proj.weight", latent_values},
    {"blk.#.attn_output", "model.layers.#.self_attn.o_proj"},
};

inline constexpr TensorRule kIndexer[] = {
    {"blk.#.indexer.k_norm", "model.layers.#.self_attn.indexer.k_norm"},
    {"blk.#.indexer.proj", "model.layers.#.self_attn.indexer.weights_proj"},
    {"blk.#.indexer.attn_k", "model.layers.#.self_attn.indexer.wk"},
    {"blk.#.indexer.attn_q_b", "model.layers.#.self_attn.indexer.wq_b"},
};

}  // namespace skald
