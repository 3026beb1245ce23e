// Launches of attention to few keys: scores, ranks, then the chosen keys. See kernels/gpu/sparq.inl.
#pragma once

#include <string>

#include "backend/gpu/gpu_op.h"
#include "graph/ops/attention.h"

namespace skald::gpu {

/// Why kernels cannot leave keys of such heads out; empty: they can.
std::string refuse_sparse_heads(const Attention& a);

// Of steps of up to `rows` rows.

int64_t sparq_scratch(const Attention& a, int64_t rows);
int64_t sparq_counters(const Attention& a, int64_t rows);

/// After the attention of those that attend to all keys. `args`: what that was launched with; `io.counters` are its own.
/// `by_pages`: whether the kernels by pages have the cache's format; others read it number by number.
void launch_sparq(const GpuContext& cx, const Attention& a, const GpuOpArgs& io, const AttentionArgs& args, bool by_pages);

}  // namespace skald::gpu
