#include "graph/ops/attention_mask.h"

#include "graph/checks.h"

namespace skald {

static ValueDesc infer(const Attention& a, std::span<const ValueDesc> in) {
  want_inputs(in, 1 + (a.biases ? 1u : 0u) + (a.chosen ? 1u : 0u) + (a.some_rows ? 1u : 0u));
  want_matrix(in[0]);
  if (a.biases) want_distance_biases(in[1], a.n_heads);
  return in[0];
}

const OpDef op_attention_mask = define_op<Attention, infer>("attention_mask", {.in_place = true});

}  // namespace skald
