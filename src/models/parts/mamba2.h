// Mamba 2 blocks: a short convolution and a scan over a state of each head. Dao & Gu, arXiv 2405.21060.
#pragma once

#include "base/meta.h"
#include "graph/net.h"

namespace skald {

struct Mamba2Params {
  int64_t taps;           // of the convolution
  int64_t d_inner;        // heads * values of a head
  int64_t d_state;        // per head
  int64_t heads, groups;  // heads of a group share the vectors by which they read and write the state
  float eps;              // of the norm
};

/// Reads the keys ssm.*. Throws kNotFound or kBadFile naming the key.
Mamba2Params read_mamba2(const MetaView& m, float eps);

/// Weights ssm_in, ssm_conv1d, ssm_dt.bias, ssm_a, ssm_d, maybe ssm_norm, ssm_out; h (tokens, d_model) -> as h.
Tensor mamba2(Net& blk, Tensor h, const Mamba2Params& p);

}  // namespace skald
