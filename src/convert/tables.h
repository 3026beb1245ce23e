// Rows of tensor tables that families share, and changes to tensors on the way.
#pragma once

#include "convert/hf_family.h"

namespace skald {

/// Rows of queries or keys in the order of interleaved RoPE: Hugging Face turns values i and i + d/2 of a head together,
/// these architectures 2i and 2i + 1.
LazyTensor interleave(const StoredView& in, const MetaView& m);

/// [KV head][its queries, key, value] rows as all queries, all keys, all values.
LazyTensor regroup_qkv(const StoredView& in, const MetaView& m);

/// Matrices kept as (in, out), of experts too.
LazyTensor transpose(const StoredView& in, const MetaView& m);

/// Norm weights that are kept as their distance from one.
LazyTensor plus_one(const StoredView& in, const MetaView& m);

/// Of rows (..., 2 n, d): the first or the second n; every other one.
LazyTensor first_half(const StoredView& in, const MetaView& m);
LazyTensor second_half(const StoredView& in, const MetaView& m);

/// Returns a matrix of one row as a vector.
LazyTensor as_vector(const StoredView& in, const MetaView& m);

/// Filters of a convolution of channels on their own, (channels, 1, taps) as (channels, taps).
LazyTensor filters(const StoredView& in, const MetaView& m);

/// Makes the decays' rates, which are negative, of their logarithms. Columns are for Mamba 2, as llama.cpp keeps them;
/// as_column() takes numbers that are no logarithms.
LazyTensor rates(const StoredView& in, const MetaView& m);
LazyTensor rate_column(const StoredView& in, const MetaView& m);
LazyTensor as_column(const StoredView& in, const MetaView& m);

/// Returns a norm's weights, a row for each group of Mamba 2.
LazyTensor by_groups(const StoredView& in, const MetaView& m);

// "model.embed_tokens", "model.norm", "lm_head".
inline constexpr TensorRule kOuter[] = {
    {"token_embd", "model.embed_tokens"},
    {"output_norm", "model.norm"},
    {"output", "lm_head"},
};

inline constexpr TensorRule kPreNorms[] = {
    {"blk.#.attn_norm", "model.layers.#.input_layernorm"},
    {"blk.#.ffn_norm", "model.layers.#.post_attention_layernorm"},
};

// The same where the second one is called after the attention that it follows.
inline constexpr TensorRule kNormsByPlace[] = {
    {"blk.#.attn_norm", "model.layers.#.input_layernorm"},
    {"blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm"},
};

// Norms before and after both blocks, all kept as their distance from one.
inline constexpr TensorRule kShiftedSandwichNorms[] = {
    {"output_norm", "model.norm", plus_one},
    {"blk.#.attn_norm", "model.layers.#.input_layernorm", plus_one},
    {"blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm", plus_one},
    {"blk.#.ffn_norm", "model.layers.#.pre_feedforward_layernorm", plus_one},
    {"blk.#.post_ffw_norm", "model.layers.#.post_feedforward_layernorm", plus_one},
};

inline constexpr TensorRule kAttention[] = {
    {"blk.#.attn_q", "model.layers.#.self_attn.q_proj"},
    {"blk.#.attn_k", "model.layers.#.self_attn.k_proj"},
    {"blk.#.attn_v", "model.layers.#.self_attn.v_proj"},
    {"blk.#.attn_output", "model.layers.#.self_attn.o_proj"},
};

inline constexpr TensorRule kInterleavedAttention[] = {
    {"blk.#.attn_q", "model.layers.#.self_attn.q_proj", interleave},
    {"blk.#.attn_k", "model.layers.#.self_attn.k_proj", interleave},
    {"blk.#.attn_v", "model.layers.#.self_attn.v_proj"},
    {"blk.#.attn_output", "model.layers.#.self_attn.o_proj"},
};

inline constexpr TensorRule kHeadNorms[] = {
    {"blk.#.attn_q_norm", "model.layers.#.self_attn.q_norm"},
    {"blk.#.attn_k_norm", "model.layers.#.self_attn.k_norm"},
};

inline constexpr TensorRule kGatedFfn[] = {
    {"blk.#.ffn_gate", "model.layers.#.mlp.gate_proj"},
    {"blk.#.ffn_up", "model.layers.#.mlp.up_proj"},
    {"blk.#.ffn_down", "model.layers.#.mlp.down_proj"},
};

// GPT-2's, outside of its matrices.
inline constexpr TensorRule kGpt2Outer[] = {
    {"token_embd", "transformer.wte"},           {"position_embd", "transformer.wpe"},
    {"output_norm", "transformer.ln_f"},         {"output", "lm_head"},
    {"blk.#.attn_norm", "transformer.h.#.ln_1"}, {"blk.#.ffn_norm", "transformer.h.#.ln_2"},
};

// BLOOM's, and Falcon's after it.
inline constexpr TensorRule kBloom[] = {
    {"token_embd", "transformer.word_embeddings"},
    {"output_norm", "transformer.ln_f"},
    {"output", "lm_head"},
    {"blk.#.attn_norm", "transformer.h.#.input_layernorm"},
    {"blk.#.attn_qkv", "transformer.h.#.self_attention.query_key_value", regroup_qkv},
    {"blk.#.attn_output", "transformer.h.#.self_attention.dense"},
    {"blk.#.ffn_norm", "transformer.h.#.post_attention_layernorm"},
    {"blk.#.ffn_up", "transformer.h.#.mlp.dense_h_to_4h"},
    {"blk.#.ffn_down", "transformer.h.#.mlp.dense_4h_to_h"},
};

// One matrix per expert, or all of them in one tensor, as recent versions of transformers keep them.
inline constexpr TensorRule kExperts[] = {
    {"blk.#.ffn_gate_inp", "model.layers.#.mlp.gate"},
    {"blk.#.ffn_gate_exps.weight", "model.layers.#.mlp.experts.@.gate_proj.weight"},
    {"blk.#.ffn_up_exps.weight", "model.layers.#.mlp.experts.@.up_proj.weight"},
    {"blk.#.ffn_down_exps.weight", "model.layers.#.mlp.experts.@.down_proj.weight"},
    {"blk.#.ffn_gate_exps.weight", "model.layers.#.mlp.experts.gate_up_proj", first_half},
    {"blk.#.ffn_up_exps.weight", "model.layers.#.mlp.experts.gate_up_proj", second_half},
    {"blk.#.ffn_down_exps.weight", "model.layers.#.mlp.experts.down_proj"},
};

// Mixtral's.
inline constexpr TensorRule kMixtral[] = {
    {"blk.#.ffn_gate_inp", "model.layers.#.block_sparse_moe.gate"},
    {"blk.#.ffn_gate_exps.weight", "model.layers.#.block_sparse_moe.experts.@.w1.weight"},
    {"blk.#.ffn_up_exps.weight", "model.layers.#.block_sparse_moe.experts.@.w3.weight"},
    {"blk.#.ffn_down_exps.weight", "model.layers.#.block_sparse_moe.experts.@.w2.weight"},
};

// Mamba 2 blocks, as Granite and Falcon have them, and as Mamba's authors and NVIDIA do.
inline constexpr TensorRule kMamba2[] = {
    {"blk.#.ssm_in", "model.layers.#.mamba.in_proj"},
    {"blk.#.ssm_conv1d.weight", "model.layers.#.mamba.conv1d.weight", filters},
    {"blk.#.ssm_conv1d.bias", "model.layers.#.mamba.conv1d.bias"},
    {"blk.#.ssm_dt.bias", "model.layers.#.mamba.dt_bias"},
    {"blk.#.ssm_a", "model.layers.#.mamba.A_log", rate_column, kWholeName},
    {"blk.#.ssm_d", "model.layers.#.mamba.D", as_column, kWholeName},
    {"blk.#.ssm_norm.weight", "model.layers.#.mamba.norm.weight", by_groups},
    {"blk.#.ssm_out", "model.layers.#.mamba.out_proj"},
};
inline constexpr TensorRule kMixer[] = {
    {"token_embd", "backbone.embeddings"},
    {"output_norm", "backbone.norm_f"},
    {"output", "lm_head"},
    {"blk.#.attn_norm", "backbone.layers.#.norm"},
    {"blk.#.ssm_in", "backbone.layers.#.mixer.in_proj"},
    {"blk.#.ssm_conv1d.weight", "backbone.layers.#.mixer.conv1d.weight", filters},
    {"blk.#.ssm_conv1d.bias", "backbone.layers.#.mixer.conv1d.bias"},
    {"blk.#.ssm_dt.bias", "backbone.layers.#.mixer.dt_bias"},
    {"blk.#.ssm_a", "backbone.layers.#.mixer.A_log", rate_column, kWholeName},
    {"blk.#.ssm_d", "backbone.layers.#.mixer.D", as_column, kWholeName},
    {"blk.#.ssm_norm.weight", "backbone.layers.#.mixer.norm.weight", by_groups},
    {"blk.#.ssm_out", "backbone.layers.#.mixer.out_proj"},
};

// DeepSeek's, and of many after it: the shared expert beside those of a token, and the addends that choose these.
inline constexpr TensorRule kSharedExperts[] = {
    {"blk.#.exp_probs_b.bias", "model.layers.#.mlp.gate.e_score_correction_bias"},
    {"blk.#.ffn_gate_shexp", "model.layers.#.mlp.shared_experts.gate_proj"},
    {"blk.#.ffn_up_shexp", "model.layers.#.mlp.shared_experts.up_proj"},
    {"blk.#.ffn_down_shexp", "model.layers.#.mlp.shared_experts.down_proj"},
};

// Qwen's: one expert that every token goes to, and scales.
inline constexpr TensorRule kScaledSharedExpert[] = {
    {"blk.#.ffn_gate_inp_shexp.weight", "model.layers.#.mlp.shared_expert_gate.weight", as_vector},
    {"blk.#.ffn_gate_shexp", "model.layers.#.mlp.shared_expert.gate_proj"},
    {"blk.#.ffn_up_shexp", "model.layers.#.mlp.shared_expert.up_proj"},
    {"blk.#.ffn_down_shexp", "model.layers.#.mlp.shared_expert.down_proj"},
};

// Layers that predict further tokens, as DeepSeek numbers them, and many after it.
inline constexpr TensorRule kNextn[] = {
    {"blk.#.nextn.eh_proj", "model.layers.#.eh_proj"},
    {"blk.#.nextn.enorm", "model.layers.#.enorm"},
    {"blk.#.nextn.hnorm", "model.layers.#.hnorm"},
    {"blk.#.nextn.embed_tokens", "model.layers.#.embed_tokens"},
    {"blk.#.nextn.shared_head_norm", "model.layers.#.shared_head.norm"},
    {"blk.#.nextn.shared_head_head", "model.layers.#.shared_head.head"},
};

// The same as Qwen and LG name them, where all of several layers have one of each.
inline constexpr TensorRule kMtp[] = {
    {"blk.#.nextn.eh_proj", "mtp.fc"},
    {"blk.#.nextn.enorm", "mtp.pre_fc_norm_embedding"},
    {"blk.#.nextn.hnorm", "mtp.pre_fc_norm_hidden"},
    {"blk.#.nextn.shared_head_norm", "mtp.norm"},
};
inline constexpr std::string_view kMtpBlock = "mtp.layers.%";

// Norms after both blocks.
inline constexpr TensorRule kPostNorms[] = {
    {"blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm"},
    {"blk.#.post_ffw_norm", "model.layers.#.post_feedforward_layernorm"},
};

}  // namespace skald
