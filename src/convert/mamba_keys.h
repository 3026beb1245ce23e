// Keys of configurations of Mamba 2 blocks.
#pragma once

#include "convert/hyperparameters.h"

namespace skald {

/// Sizes of a Mamba 2 block.
struct Mamba2Sizes {
  int64_t heads, d_head, groups, d_state;
  int64_t d_inner() const { return heads * d_head; }
};

/// ssm.conv_kernel, ssm.state_size, ssm.group_count, ssm.time_step_rank and ssm.inner_size, by all the names that they go
/// by. `expanded`: the configuration says how many times the model's width the block has, which heads must fit. Throws
/// kUnsupported for a block that is built in another way: limits of time steps, another activation, a norm before the gate.
Mamba2Sizes mamba2_keys(const HfConfig& c, Hyperparameters& out, bool expanded);

}  // namespace skald
