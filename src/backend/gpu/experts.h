// What kernels of experts are given, of an operation's values.
#pragma once

#include "backend/gpu/gpu_op.h"

namespace skald::gpu {

inline ExpertChoice expert_choice(const TensorView& ids) { return {ids.as<int32_t>(), ids.row_step<int32_t>(), ids.cols()}; }

/// Rows of one of several matrices (matrices, rows, columns).
inline WeightRows rows_of_one(const TensorView& t) { return {t.data, t.desc.row_bytes(), t.shape()[1], t.cols()}; }

/// `bias`, `scale`: places among the inputs, or 0 (ExpertInputs).
inline ExpertWeights expert_weights(const GpuOpArgs& io, size_t weight, size_t bias, size_t scale) {
  return {.rows = rows_of_one(io.in[weight]),
          .biases = bias ? io.in[bias].as() : nullptr,
          .scales = scale ? io.in[scale].as() : nullptr};
}

}  // namespace skald::gpu
