// What kernels of experts are given, of an operation's values.
#pragma once

#include "backend/gpu/gpu_op.h"

namespace skald::gpu {

inline ExpertChoice expert_choice(const TensorView& ids) { return {ids.as<int32_t>(), ids.row_step<int32_t>(), ids.cols()}; }

/// Rows of one of several matrices (matrices, rows, columns).
inline WeightRows rows_of_one(const TensorView& t) { return {t.data, t.desc.row_bytes(), t.shape()[1], t.cols()}; }

}  // namespace skald::gpu
