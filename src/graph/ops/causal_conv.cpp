#include "graph/ops/causal_conv.h"

#include "graph/checks.h"
#include "graph/cuts.h"

namespace skald {

std::string CausalConv::describe() const { return fmt::format("slot {}, {} taps{}", slot, taps, silu ? ", silu" : ""); }

static ValueDesc infer(const CausalConv& a, std::span<const ValueDesc> in) {
  if (in.size() != 2) want_inputs(in, 3);
  want_matrix(in[0]);
  const int64_t n = in[0].shape[1];
  if (a.taps < 2) fail(Errc::kBadInput, "want 2 taps or more, got {}", a.taps);
  if (in[1].shape != Shape{n, a.taps} || in[1].format != &format_f32)
    fail(Errc::kBadInput, "want f32 taps {}, got {}", Shape{n, a.taps}.to_string(), in[1].shape.to_string());
  if (in.size() == 3 && in[2].shape != Shape{n})
    fail(Errc::kBadInput, "want a bias of {}, got {}", n, in[2].shape.to_string());
  return in[0];
}

static Cost cost(const CausalConv& a, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  const auto n = static_cast<double>(in[0].shape[1]), taps = static_cast<double>(a.taps);
  const double state = n * (taps - 1) * sizeof(float) * 2 * static_cast<double>(step.sequences.size());
  return {.bytes = step.bytes(in[0]) + step.bytes(in[1]) + step.bytes(out) + state,
          .flops = 2 * taps * step.elements(in[0])};
}

static std::optional<CutPlan> cut(const CausalConv&, std::span<const ValueDesc> in, const ValueDesc&, const Cut& wanted) {
  CutPlan plan{{{1, wanted}, {0, wanted}}};
  if (in.size() == 3) plan.inputs.push_back({0, wanted});
  return plan;
}

const OpDef op_causal_conv = with_cuts<CausalConv, cut>(define_op<CausalConv, infer, nullptr, cost>("causal_conv"));

}  // namespace skald
