// The layouts in which other tools write a model's experts, made one: a tensor of all experts for each projection.
#pragma once

#include "loading/weight_set.h"

namespace skald {

/// Replaces, in every layer,
///   ffn_gate.0, ffn_gate.1, ... (likewise up and down; Mixtral until spring 2024) by ffn_gate_exps,
///   ffn_gate_up_exps (of each expert the gate's rows, then up's) by ffn_gate_exps and ffn_up_exps.
/// The new weights consist of pieces of the old ones' bytes. Weights of unequal types or shapes, gaps in the numbers and odd
/// numbers of rows are left as they are: the family names the weights that it misses.
void unify_layouts(WeightSet& set);

}  // namespace skald
