// What kernels that rotate are given.
#pragma once

#include "backend/gpu/gpu_op.h"
#include "graph/ops/rope.h"

namespace skald::gpu {

RopeArgs rope_args(const Rope& a, const GpuOpArgs& io);

}  // namespace skald::gpu
