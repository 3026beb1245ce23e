// What products with fragments (quant/fragments.h) have in common: one order of sums in all tilings. Columns are cut into
// kSegments segments on end; the steps of a segment are added in order, and the segments in order. So a row has the bits
// that it has alone, whichever kernel multiplies it and whatever rows are beside it.
#pragma once

#include "kernels/gpu/args.h"
#include "kernels/gpu/rows.inl"
#include "kernels/gpu/simt.h"

namespace skald::gpu {

inline constexpr int kSegments = 8, kProductThreads = kSegments * simt::kWarp;
inline constexpr int kUnitColumns = 128;  // of coded activations: four blocks of 32

/// The first step of a segment.
SIMT_DEV int segment(int steps, int s) { return steps * s / kSegments; }

}  // namespace skald::gpu
