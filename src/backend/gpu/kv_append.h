// What kernels that store keys and values are given, and the launch that follows them.
#pragma once

#include "backend/gpu/gpu_op.h"
#include "graph/ops/kv_append.h"

namespace skald::gpu {

KvAppendArgs kv_append_args(const GpuContext& cx, const KvAppend& a, const GpuOpArgs& io);

/// Keys and values that are stored go on to the index, if there is one.
void append_to_index(const GpuContext& cx, const KvAppend& a, const GpuOpArgs& io, const KvAppendArgs& stored);

}  // namespace skald::gpu
