#include "graph/ops/choose_experts.h"

#include "graph/checks.h"

namespace skald {

std::string ChooseExperts::describe() const {
  return groups > 1 ? fmt::format("{}, out of {} of {} groups", k, groups_used, groups) : fmt::format("{}", k);
}

static void check(const ChooseExperts& a, int64_t experts) {
  if (a.groups < 1 || experts % a.groups)
    fail(Errc::kBadInput, "{} experts do not divide into {} groups", experts, a.groups);
  const int64_t per_group = experts / a.groups;
  if (a.groups_used < 1 || a.groups_used > a.groups)
    fail(Errc::kBadInput, "want 1 to {} groups to choose from, got {}", a.groups, a.groups_used);
  if (a.group_best < 1 || a.group_best > per_group)
    fail(Errc::kBadInput, "groups of {} experts cannot be judged by {} of them", per_group, a.group_best);
  if (a.k < 1 || a.k > a.groups_used * per_group)
    fail(Errc::kBadInput, "want 1 to {} experts per token, got {}", a.groups_used * per_group, a.k);
}

static ValueDesc infer(const ChooseExperts& a, std::span<const ValueDesc> in) {
  if (in.size() != 2) want_inputs(in, 1);
  want_matrix(in[0]);
  check(a, in[0].shape[1]);
  if (in.size() == 2) want_cols(in[1], in[0].shape[1], "what is added to the scores");
  return {&format_i32, Shape{in[0].shape[0], a.k}, in[0].rows};
}

const OpDef op_choose_experts = define_op<ChooseExperts, infer>("choose_experts", {.by_rows = true});

}  // namespace skald
