#include "graph/ops/activation.h"

#include "graph/checks.h"
#include "graph/cuts.h"

namespace skald {

std::string Activate::describe() const {
  constexpr const char* kNames[kActivations] = {"silu",         "gelu",    "gelu_tanh",    "relu",
                                                "relu_squared", "sigmoid", "clamped_silu", "clamped_linear"};
  return kNames[static_cast<size_t>(function)];
}

static ValueDesc infer(const Activate&, std::span<const ValueDesc> in) {
  want_inputs(in, 1);
  return in[0];
}

const OpDef op_activation = with_cuts<Activate, cut_columns_alike<Activate>>(
    define_op<Activate, infer>("activation", {.in_place = true, .by_rows = true}));

Tensor activation(Tensor x, Activation function) { return x.graph->add(op_activation, Attrs(Activate{function}), {x}); }

}  // namespace skald
