// Keys of configurations of encoders, whose tokens see all others.
#pragma once

#include "convert/hyperparameters.h"

namespace skald {

/// Sizes, the epsilon of the norms under `eps_key`, attention.causal, and how many types tokens have.
void encoder_keys(const HfConfig& c, Hyperparameters& out, std::string_view eps_key);

/// Of a model that scores: pooling_type is left to the head that the file has; classifier.output_labels. Throws kUnsupported
/// for another number of scores than one.
void score_keys(const HfConfig& c, Hyperparameters& out);

}  // namespace skald
