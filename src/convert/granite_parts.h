// Shared by IBM's Granite families: keys and rows of tables.
#pragma once

#include "convert/layer_keys.h"
#include "convert/tables.h"

namespace skald {

/// Sizes, the rotary embedding and Granite's factors.
void granite_keys(const HfConfig& c, Hyperparameters& out);

/// Returns which layers of a GraniteMoeHybrid have attention; the others have Mamba.
std::vector<bool> granite_attention_layers(const HfConfig& c);
/// Of that class: whether there are Mamba layers, whether there are experts.
bool has_granite_mamba(const HfConfig& c);
bool has_granite_experts(const HfConfig& c);

/// The keys of a GraniteMoeHybrid, with Mamba or without; where layers have experts, those of experts too.
void granite_hybrid_keys(const HfConfig& c, Hyperparameters& out);

/// Both halves of each expert in one matrix, and of the shared one beside them.
inline constexpr TensorRule kGraniteExperts[] = {
    {"blk.#.ffn_gate_inp", "model.layers.#.block_sparse_moe.router.layer"},
    {"blk.#.ffn_gate_exps.weight", "model.layers.#.block_sparse_moe.input_linear.weight", first_half},
    {"blk.#.ffn_up_exps.weight", "model.layers.#.block_sparse_moe.input_linear.weight", second_half},
    {"blk.#.ffn_down_exps.weight", "model.layers.#.block_sparse_moe.output_linear.weight"},
    {"blk.#.ffn_gate_shexp.weight", "model.layers.#.shared_mlp.input_linear.weight", first_half},
    {"blk.#.ffn_up_shexp.weight", "model.layers.#.shared_mlp.input_linear.weight", second_half},
    {"blk.#.ffn_down_shexp.weight", "model.layers.#.shared_mlp.output_linear.weight"},
};
/// The same where there are no experts.
inline constexpr TensorRule kGraniteDense[] = {
    {"blk.#.ffn_gate.weight", "model.layers.#.shared_mlp.input_linear.weight", first_half},
    {"blk.#.ffn_up.weight", "model.layers.#.shared_mlp.input_linear.weight", second_half},
    {"blk.#.ffn_down.weight", "model.layers.#.shared_mlp.output_linear.weight"},
};

}  // namespace skald
