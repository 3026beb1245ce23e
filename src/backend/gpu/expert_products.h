// ExpertProducts: a step's rows multiplied by the experts that they go to. Products with fragments take the rows' choices
// sorted by experts, so that an expert's weights are read once for some rows.
#pragma once

#include "backend/gpu/products.h"

namespace skald::gpu {

/// Bytes of scratch for products of rows with as many experts as `ids` names for each.
int64_t expert_products_scratch(const ValueDesc& ids, int64_t experts);

/// Why no kernel multiplies rows by one of these weights (experts, n, k); empty: there are kernels for all.
std::string refuse_expert_products(const GpuKernels& kernels, std::span<const ValueDesc> weights);

/// `bias`, `scale`: places among the inputs, or 0 (ExpertInputs).
inline Product expert_product(const GpuOpArgs& io, size_t weight, size_t bias, size_t scale, const Matrix& out) {
  return {.weight = io.in[weight],
          .out = out,
          .biases = bias ? io.in[bias].as() : nullptr,
          .scales = scale ? io.in[scale].as() : nullptr};
}

class ExpertProducts {
 public:
  /// `scratch` as expert_products_scratch wants it; `parts`: 1, or the choices of a row where each has activations of its
  /// own.
  ExpertProducts(const GpuContext& cx, const GpuOpArgs& io, const TensorView& x, const TensorView& ids, int64_t parts,
                 int64_t experts, std::byte* scratch);
  /// out (rows, choices of a row, n) = the choices' products.
  void multiply(std::span<const Product> all);
  ExpertChoice choice() const { return choice_; }

 private:
  const ExpertJobs& sorted();

  const GpuContext& cx_;
  const GpuOpArgs& io_;
  ExpertChoice choice_;
  Matrix x_;
  int64_t parts_, experts_;
  Products products_;
  ExpertJob* list_;
  int32_t* choices_;
  ExpertJobs jobs_;
};

}  // namespace skald::gpu
