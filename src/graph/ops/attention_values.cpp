#include "graph/ops/attention_values.h"

#include "graph/checks.h"
#include "graph/ops/attention_scores.h"

namespace skald {

static ValueDesc infer(const Attention& a, std::span<const ValueDesc> in) {
  want_inputs(in, a.some_rows ? 3 : 2);
  want_matrix(in[0]);
  want_cols(in[0], a.n_heads * attention_slots(a), "weights");
  return {in[0].format, Shape{in[0].shape[0], a.n_heads * a.d_v}, in[0].rows};
}

static Cost cost(const Attention& a, std::span<const ValueDesc>, const ValueDesc& out, const StepStats& step) {
  const StepStats::Keys keys = step.keys_in(a.window);
  const auto heads = static_cast<double>(a.n_heads);
  return {.bytes = step.bytes(out) + keys.pairs * heads * 4 +
                   keys.read * static_cast<double>(a.n_kv_heads * a.d_v) * step.kv_element_bytes_v,
          .flops = 2 * keys.pairs * heads * static_cast<double>(a.d_v)};
}

const OpDef op_attention_values = define_op<Attention, infer, nullptr, cost>("attention_values");

}  // namespace skald
