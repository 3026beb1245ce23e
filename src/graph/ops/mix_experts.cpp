#include "graph/ops/mix_experts.h"

#include "graph/expert_inputs.h"

namespace skald {

static ValueDesc infer(const NoAttrs&, std::span<const ValueDesc> in) {
  want_at_least(in, 4);
  want_matrix(in[0]);
  want_matrix(in[2]);
  want_rows_of(in[0], in[2], "ids");
  want_rows_of(in[0], in[3], "weights");
  want_cols(in[3], in[2].shape[1], "weights");
  const int64_t k = in[2].shape[1];
  if (in[0].shape[1] % k) fail(Errc::kBadInput, "rows of {} do not divide over {} experts", in[0].shape[1], k);
  want_matrices(in[1], "experts");
  want_cols(in[1], in[0].shape[1] / k, "weight");
  want_expert_inputs(in, 4, 1, in[1]);
  return {&format_f32, Shape{in[0].shape[0], in[1].shape[1]}, in[0].rows};
}

static Cost cost(const NoAttrs&, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  const double share = step.share_of_experts(in[1].shape[0], in[2].shape[1]);
  Cost cost{.bytes = step.bytes(in[0]) + step.bytes(in[2]) + step.bytes(in[3]) + step.bytes(out)};
  cost.bytes += share * step.bytes(in[1]);
  for (const ValueDesc& d : in.subspan(4)) cost.bytes += share * step.bytes(d);
  cost.flops = 2 * step.elements(in[0]) * static_cast<double>(out.shape[1]);
  return cost;
}

const OpDef op_mix_experts =
    define_op<NoAttrs, infer, nullptr, cost>("mix_experts", {.by_rows = true, .matmul = true, .factors = 1});

}  // namespace skald
