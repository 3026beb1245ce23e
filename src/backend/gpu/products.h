// Products: a step's rows multiplied by weights in whatever form these lie. Weights that want the rows in the same form
// share it.
#pragma once

#include "backend/gpu/gpu_op.h"

namespace skald::gpu {

/// Why neither a kernel of products with fragments nor one of `others`, a table by formats, does `what` with one of the
/// weights; empty: there are kernels for all.
template <class Launches>
std::string refuse_products(const GpuKernels& kernels, const Launches& others, std::span<const ValueDesc> weights,
                            std::string_view what) {
  for (const ValueDesc& w : weights)
    if (!kernels.product[w.format->id])
      if (std::string why = refuse_formats(others, {&w, 1}, what); !why.empty()) return why;
  return {};
}
/// Likewise of rows that are multiplied by weights.
inline std::string refuse_products(const GpuKernels& kernels, std::span<const ValueDesc> weights) {
  return refuse_products(kernels, kernels.linear, weights, "multiplies by weights");
}

/// out (rows, n) = x W^T + added.
struct Product {
  const TensorView& weight;
  Matrix out;
  Matrix added = {};                                 // as ProductPart has it
  const float *biases = nullptr, *scales = nullptr;  // of experts: likewise
};

/// Those with several weights, whose columns lie side by side in `out` and `added`.
std::vector<Product> side_by_side(std::span<const TensorView> weights, Matrix out, Matrix added = {});

class Products {
 public:
  /// `x`: the rows, of which there are io.count; each may be several side by side.
  Products(const GpuContext& cx, const GpuOpArgs& io, const TensorView& x, int64_t parts = 1);
  /// One launch for the weights of a format.
  void multiply(std::span<const Product> all);
  /// Those of them with weights in fragments; `jobs`: of experts.
  void multiply_fragments(std::span<const Product> all, const ExpertJobs& jobs = {});

 private:
  /// What a kernel takes for weights of a format. The rows are in the form that it wants.
  ProductArgs args_for(uint32_t format) const;
  /// Makes forms that are not there yet.
  void make(FormSet wanted);

  const GpuContext& cx_;
  const GpuOpArgs& io_;
  Matrix x_;
  int64_t parts_, columns_;
  FormSet made_;
};

}  // namespace skald::gpu
