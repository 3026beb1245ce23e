// What products with fragments (quant/fragments.h) have in common: one order of sums in all tilings. Columns are cut into
// kSegments segments on end; the steps of a segment are added in order, and the segments in order. So a row has the bits
// that it has alone, whichever kernel multiplies it and whatever rows are beside it.
#pragma once

#include "kernels/gpu/args.h"
#include "kernels/gpu/row_forms.h"
#include "kernels/gpu/rows.inl"
#include "kernels/gpu/simt.h"
#include "kernels/gpu/tuning.h"

namespace skald::gpu {

inline constexpr int kSegments = 8, kProductThreads = kSegments * simt::kWarp;

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

/// The part that a panel is of.
SIMT_DEV int part_of(const ProductArgs& a, int panel) {
  int part = 0;
#pragma unroll
  for (int i = 1; i < ProductArgs::kMaxParts; ++i)
    if (i < a.n_parts && panel >= a.parts[i].first) part = i;
  return part;
}

/// The steps of a panel.
SIMT_DEV const std::byte* panel_of(const ProductArgs& a, int expert, int panel, int step_bytes) {
  const ProductPart& part = a.parts[part_of(a, panel)];
  const int64_t panels = (part.n + 15) / 16;
  return part.weights + (expert * panels + panel - part.first) * a.steps * step_bytes;
}

/// Puts the sum of a job's row `i` and of output `output` of a panel where it belongs, if there is such an output.
SIMT_DEV void put_sum(const ProductArgs& a, const ExpertJob& job, int i, int panel, int output, float sum) {
  const ProductPart& part = a.parts[part_of(a, panel)];
  const int at = (panel - part.first) * 16 + output;
  if (at >= part.n) return;
  const float scale = part.scales ? part.scales[job.expert] : 1.0f;
  const float y = part.biases ? simt::fma1(sum, scale, part.biases[int64_t{job.expert} * part.n + at]) : sum * scale;
  const int choice = choice_of(a, job, i), row = choice / a.jobs.of_out;
  const int64_t column = int64_t{choice % a.jobs.of_out} * part.n + at;
  part.out.data[row * part.out.step + column] = part.added.data ? y + part.added.data[row * part.added.step + column] : y;
}

/// The panels of a block that has kPanels of them, one after another; after the last one, that one again.
template <int kPanels>
SIMT_DEV void find_panels(const ProductArgs& a, int expert, int step_bytes, const std::byte* (&w)[kPanels]) {
#pragma unroll
  for (int q = 0; q < kPanels; ++q)
    w[q] = panel_of(a, expert, at_most(simt::block_x() * kPanels + q, a.panels - 1), step_bytes);
}
/// Likewise as put_sum, of output `output` of them all.
template <int kPanels>
SIMT_DEV void put_few(const ProductArgs& a, const ExpertJob& job, int i, int output, float sum) {
  const int panel = simt::block_x() * kPanels + output / 16;
  if (panel < a.panels) put_sum(a, job, i, panel, output % 16, sum);
}

/// Rows that a block may have: those of a step, or of a job.
inline int64_t rows_of_block(const ProductArgs& a, int64_t rows) { return a.jobs.list ? a.jobs.most : rows; }

/// Launches of the two tilings. Few rows: a block has a panel. More: a block has kSegments panels and kManyRows rows.
inline constexpr int kManyRows = 32;
template <auto kKernel, class Shared, int kPanels, int kRows>
void launch_tiling(simt::Stream stream, const ProductArgs& a, int64_t rows) {
  const simt::Grid grid{blocks_for(a.panels, kPanels),
                        a.jobs.list ? static_cast<unsigned>(a.jobs.n) : blocks_for(rows, kRows)};
  launch_early<kKernel>(stream, {grid, kProductThreads, sizeof(Shared)}, a);
}

}  // namespace skald::gpu
