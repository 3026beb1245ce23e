#include "graph/ops/attention_scores.h"

#include "graph/checks.h"

namespace skald {

int64_t attention_slots(const Attention& a) { return (a.max_keys + 63) / 64 * 64 + 192; }

static ValueDesc infer(const Attention& a, std::span<const ValueDesc> in) {
  want_inputs(in, 2 + (a.kept_queries ? 1u : 0u) + (a.some_rows ? 1u : 0u));
  want_matrix(in[0]);
  want_cols(in[0], a.n_heads * a.d_k, "q");
  return {in[0].format, Shape{in[0].shape[0], a.n_heads * attention_slots(a)}, in[0].rows};
}

static Cost cost(const Attention& a, std::span<const ValueDesc> in, const ValueDesc&, const StepStats& step) {
  const StepStats::Keys keys = step.keys_in(a.window);
  const auto heads = static_cast<double>(a.n_heads);
  return {.bytes = step.bytes(in[0]) + keys.pairs * heads * 4 +
                   keys.read * static_cast<double>(a.n_kv_heads * a.d_k) * step.kv_element_bytes_k,
          .flops = 2 * keys.pairs * heads * static_cast<double>(a.d_k)};
}

const OpDef op_attention_scores = define_op<Attention, infer, nullptr, cost>("attention_scores");

}  // namespace skald
