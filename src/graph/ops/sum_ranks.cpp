#include "graph/ops/sum_ranks.h"

#include <algorithm>

#include "graph/checks.h"

namespace skald {

std::string SumRanks::describe() const {
  return fmt::format("{} of {} ranks", std::ranges::count(plan->adds, true), plan->adds.size());
}

static ValueDesc infer(const SumRanks&, std::span<const ValueDesc> in) {
  want_inputs(in, 1);
  want_matrix(in[0]);
  return in[0];
}

static Cost cost(const SumRanks& a, std::span<const ValueDesc>, const ValueDesc& out, const StepStats& step) {
  const auto added = static_cast<double>(std::ranges::count(a.plan->adds, true));
  return {.bytes = (added + 1) * step.bytes(out), .flops = (added - 1) * step.elements(out)};
}

const OpDef op_sum_ranks = define_op<SumRanks, infer, nullptr, cost>("sum_ranks");

}  // namespace skald
