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

/// Launches of the two tilings. Few rows: a block has a panel. More: a block has kSegments panels and kManyRows rows.
inline constexpr int kManyRows = 32;
template <auto kKernel, class Shared>
void launch_few(simt::Stream stream, const ProductArgs& a) {
  launch_early<kKernel>(stream, {{blocks_for(a.n, 16)}, kProductThreads, sizeof(Shared)}, a);
}
template <auto kKernel, class Shared>
void launch_many(simt::Stream stream, const ProductArgs& a, int64_t rows) {
  const simt::Grid grid{blocks_for(a.n, 16 * kSegments), blocks_for(rows, kManyRows)};
  launch_early<kKernel>(stream, {grid, kProductThreads, sizeof(Shared)}, a);
}

}  // namespace skald::gpu
