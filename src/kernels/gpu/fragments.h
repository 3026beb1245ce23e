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

/// What a block multiplies: rows of one matrix, or choices of one expert; `most` rows of activations at most.
SIMT_DEV ExpertJob job_of(const ProductArgs& a, int most) {
  if (a.jobs.list) return a.jobs.list[simt::block_y()];
  const int first = simt::block_y() * most;
  return {0, first, at_most(*a.rows.at - first, most)};
}
/// The number of its choice, or row, `i`; after the last one, that one again.
SIMT_DEV int choice_of(const ProductArgs& a, const ExpertJob& job, int i) {
  const int at = job.first + at_most(i, job.count - 1);
  return a.jobs.choices ? a.jobs.choices[at] : at;
}
SIMT_DEV int64_t row_of(const ProductArgs& a, const ExpertJob& job, int i) { return choice_of(a, job, i) / a.jobs.of_x; }

/// The steps of a panel.
SIMT_DEV const std::byte* panel_of(const ProductArgs& a, int expert, int panel, int step_bytes) {
  const int64_t panels = (a.n + 15) / 16;
  return a.weights + (expert * panels + panel) * a.steps * step_bytes;
}

/// Puts the sum of a job's row `i` where it belongs.
SIMT_DEV void put_sum(const ProductArgs& a, const ExpertJob& job, int i, int output, float sum) {
  const ExpertJobs& jobs = a.jobs;
  const float scale = jobs.scales ? jobs.scales[job.expert] : 1.0f;
  const float y = jobs.biases ? simt::fma1(sum, scale, jobs.biases[int64_t{job.expert} * a.n + output]) : sum * scale;
  const int choice = choice_of(a, job, i);
  a.out.data[choice / jobs.of_out * a.out.step + int64_t{choice % jobs.of_out} * a.n + output] = y;
}

/// Rows that a block may have: those of a step, or of a job.
inline int64_t rows_of_block(const ProductArgs& a, int64_t rows) { return a.jobs.list ? a.jobs.most : rows; }

/// Launches of the two tilings. Few rows: a block has a panel. More: a block has kSegments panels and kManyRows rows.
inline constexpr int kManyRows = 32;
template <auto kKernel, class Shared, int kPanels, int kRows>
void launch_tiling(simt::Stream stream, const ProductArgs& a, int64_t rows) {
  const simt::Grid grid{blocks_for(a.n, 16 * kPanels),
                        a.jobs.list ? static_cast<unsigned>(a.jobs.n) : blocks_for(rows, kRows)};
  launch_early<kKernel>(stream, {grid, kProductThreads, sizeof(Shared)}, a);
}

}  // namespace skald::gpu
