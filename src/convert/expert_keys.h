// Keys of configurations of experts and of the routing of tokens to them.
#pragma once

#include "convert/hyperparameters.h"

namespace skald {

/// expert_count, expert_used_count, and expert_feed_forward_length where the configuration has a size of its own for it.
void expert_keys(const HfConfig& c, Hyperparameters& out);

/// The defaults of a family where its configurations are silent.
struct RoutingDefaults {
  bool sigmoid = true;     // scores; else softmax
  bool normalised = true;  // weights to a sum of 1
  float scale = 1;         // and then times this
};
/// expert_gating_func, expert_weights_norm, expert_weights_scale, and the groups of experts where there are any. Throws
/// kUnsupported for another function of scores.
void routing_keys(const HfConfig& c, Hyperparameters& out, const RoutingDefaults& usual = {});

/// expert_shared_count and, for experts of `d_ff`, expert_shared_feed_forward_length.
void shared_expert_keys(const HfConfig& c, Hyperparameters& out, int64_t d_ff);

}  // namespace skald
