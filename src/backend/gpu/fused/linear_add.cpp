// A product and the sum that alone reads it: with the residual, or a bias.
#include "backend/gpu/fusion.h"
#include "backend/gpu/products.h"
#include "graph/ops/binary.h"
#include "graph/ops/linear.h"

namespace skald {

using namespace gpu;

// b of a sum is as a, or a row for all.
static bool is_added(const Node& product, const Node& other) {
  const Shape &shape = product.out.shape, &added = other.out.shape;
  return added == shape || (added.rank() == 1 && other.out.rows == Rows::kFixed && added.back() == shape.back());
}

static std::vector<int> match(const Readers& readers, int last) {
  const Node& sum = readers.graph().node(last);
  if (sum.op != &op_add) return {};
  for (const size_t i : {0, 1}) {
    const int product = sum.inputs[i];
    const Node &node = readers.graph().node(product), &other = readers.graph().node(sum.inputs[1 - i]);
    const bool fits = node.out.shape == sum.out.shape && is_added(node, other);
    if (node.op == &op_linear && fits && readers.is_only(last, product) &&
        are_neighbours(readers.graph(), {{product, last}}))
      return {product, last};
  }
  return {};
}

static void record(const GpuContext& cx, std::span<const FusedNode> nodes) {
  const FusedNode &product = nodes[0], &sum = nodes[1];
  const TensorView& other = sum.io.in[sum.node.inputs[0] == product.id ? 1 : 0];
  const std::span<const TensorView> in = product.io.in;
  const Matrix added{other.as(), other.shape().rank() == 1 ? 0 : other.row_step()};
  Products(cx, product.io, in[0]).multiply(side_by_side(in.subspan(1), matrix(sum.io.out), added));
}

extern const GpuFusion fused_linear_add;
const GpuFusion fused_linear_add = {match, record};

}  // namespace skald
