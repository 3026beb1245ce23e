#include "models/parts/mamba2.h"

#include "base/error.h"
#include "graph/ops/elementwise.h"

namespace skald {

Mamba2Params read_mamba2(const MetaView& m, float eps) {
  constexpr int64_t kMost = int64_t{1} << 24;
  const Mamba2Params p{.taps = m.in_range("ssm.conv_kernel", 2, 16),
                       .d_inner = m.in_range("ssm.inner_size", 1, kMost),
                       .d_state = m.in_range("ssm.state_size", 1, 65536),
                       .heads = m.in_range("ssm.time_step_rank", 1, 65536),
                       .groups = m.in_range("ssm.group_count", 1, 65536),
                       .eps = eps};
  if (p.d_inner % p.heads || p.heads % p.groups)
    fail(Errc::kBadFile, "key {}: {} values do not divide over {} heads in {} groups", m.full("ssm.inner_size"), p.d_inner,
         p.heads, p.groups);
  return p;
}

Tensor mamba2(Net& blk, Tensor h, const Mamba2Params& p) {
  const int64_t d_bc = p.groups * p.d_state, d_conv = p.d_inner + 2 * d_bc;
  const Tensor all = blk.linear("ssm_in", h, p.d_inner + d_conv + p.heads);  // z, x, B, C, dt
  const Tensor xbc = blk.causal_conv("ssm_conv1d", blk.columns(all, p.d_inner, d_conv), p.taps, /*silu=*/true);
  const Tensor dt = softplus(blk.columns(all, p.d_inner + d_conv, p.heads) + blk.layer_vector("ssm_dt.bias", p.heads));
  const Tensor y = blk.state_space(blk.columns(xbc, 0, p.d_inner), blk.columns(xbc, p.d_inner, d_bc),
                                   blk.columns(xbc, p.d_inner + d_bc, d_bc), dt, p.heads, p.groups);
  const Tensor gated = glu(blk.columns(all, 0, p.d_inner), y, Activation::kSilu);
  return blk.linear("ssm_out",
                    blk.has_weight("ssm_norm.weight") ? blk.rms_norm_parts("ssm_norm", gated, p.eps, p.groups) : gated,
                    h.cols());
}

}  // namespace skald
