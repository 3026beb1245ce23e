// Layers that predict further tokens: whether a checkpoint has them, and what a file says of them.
#pragma once

#include <cstdint>

#include "convert/hf_family.h"

namespace skald {

/// Adds those that the configuration tells of and the checkpoint has to block_count, and writes nextn_predict_layers.
/// Returns how many they are; 0 where the family's are not known.
int64_t add_layers_ahead(const HfFamily& family, const Checkpoint& checkpoint, const MetaView& m, Hyperparameters& out);

/// The table's name of a source, `from`, in layer `i` of a checkpoint whose first layer ahead is `n_main`, in the family's
/// block number `block` of that layer.
std::string name_ahead(const HfFamily& family, std::string_view from, int64_t i, int64_t n_main, size_t block);

}  // namespace skald
