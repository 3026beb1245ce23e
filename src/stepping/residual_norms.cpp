#include "stepping/residual_norms.h"

#include <algorithm>

#include "graph/ops/attention.h"
#include "graph/ops/binary.h"

namespace skald {
namespace {

double square(const float* x, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return sum;
}

bool is_computed(const Graph& graph, int id) { return graph.node(id).source == Source::kOp; }

}  // namespace

// The stream is the larger one of the two.
void ResidualNorms::before(const Graph& graph, const Node& node, std::span<const TensorView> in) {
  if (node.op == &op_attention) {
    slot_ = node.attrs.get<Attention>().slot;
  } else if (slot_ >= 0 && node.op == &op_add && is_computed(graph, node.inputs[0]) && is_computed(graph, node.inputs[1])) {
    for (int64_t r = 0; r < in[0].rows(); ++r)  // row by row: the same sum for steps of any size
      squares_[static_cast<size_t>(slot_)] +=
          std::max(square(in[0].row(r), in[0].cols()), square(in[1].row(r), in[1].cols()));
    slot_ = -1;
  }
}

}  // namespace skald
