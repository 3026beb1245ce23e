#include "graph/ops/choose_keys.h"

#include "graph/checks.h"

namespace skald {

std::string ChooseKeys::describe() const { return fmt::format("{} by {} heads of {}", most, heads, d); }

static ValueDesc infer(const ChooseKeys& a, std::span<const ValueDesc> in) {
  want_inputs(in, 3 + (a.kept_queries ? 1u : 0u) + (a.some_rows ? 1u : 0u));
  want_matrix(in[0]);
  want_matrix(in[1]);
  want_rows_of(in[0], in[1], "weights");
  want_cols(in[0], a.heads * a.d, "q");
  want_cols(in[1], a.heads, "weights");
  if (a.most < 1) fail(Errc::kBadInput, "want 1 key or more, got {}", a.most);
  if (a.kept_queries) want_cols(in[3], a.heads * a.d, "q for kept keys");
  if (a.some_rows) want_rows_of(in[0], in.back(), "numbers of rows");
  return {&format_i32, Shape{in[0].shape[0], a.most}, in[0].rows};
}

static Cost cost(const ChooseKeys& a, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  const StepStats::Keys keys = step.keys_in({});
  const double share = step.n_tokens > 0 ? static_cast<double>(step.rows(out)) / static_cast<double>(step.n_tokens) : 1;
  return {.bytes = step.bytes(in[0]) + step.bytes(in[1]) + step.bytes(out) +
                   keys.read * static_cast<double>(a.d) * step.kv_element_bytes_k,
          .flops = 2 * keys.pairs * share * static_cast<double>(a.heads * a.d)};
}

static Attrs of_some_rows(const Attrs& attrs) {
  auto a = attrs.get<ChooseKeys>();
  a.some_rows = true;
  return Attrs(a);
}

const OpDef op_choose_keys = define_op<ChooseKeys, infer, nullptr, cost>("choose_keys", {.of_some_rows = of_some_rows});

}  // namespace skald
