// Products with weights of 16-bit floats, in fragments, as kernels of any Tuning. See half_products.cu.
#pragma once

#include "fragment_blocks.h"
#include "kernels/gpu/fragments.h"
#include "quant/half_fragments.h"

namespace skald::gpu {
namespace {

#include "half_fragments.inl"

/// A step of a panel: 32 columns of 16 rows.
struct HalfStep {
  simt::Words4 upper, lower;
};
SIMT_DEV HalfStep load_step(const std::byte* at) {
  return {simt::load_stream(at + simt::lane() * 16), simt::load_stream(at + 512 + simt::lane() * 16)};
}

template <class Format>
SIMT_DEV void multiply(float (&c)[4], const HalfStep& w, const simt::Words4& x) {
  Format::multiply(c, {w.upper.w[0], w.lower.w[0], w.upper.w[1], w.lower.w[1]}, {x.w[0], x.w[1]});
  Format::multiply(c, {w.upper.w[2], w.lower.w[2], w.upper.w[3], w.lower.w[3]}, {x.w[2], x.w[3]});
}

/// What a lane brings of a group's four rows, which may lie in different tiles: of step 0.
SIMT_DEV const std::byte* split_of(const ProductArgs& a, const ExpertJob& job, int group) {
  const int64_t row = row_of(a, job, group * 4 + simt::lane() / 8);
  return a.split + row / 4 * a.steps * kTileBytes + row % 4 * 128 + simt::lane() % 8 * 16;
}

template <int kGroups, int kPanels>
struct FewShared {
  float parts[kSegments][kPanels * 16][kGroups * 8 + 1];
};

/// Few rows of activations: a block has some panels, each of its warps a segment of their columns. Groups of 4 rows.
template <class Format, int kGroups, class Tuning>
SIMT_KERNEL void SIMT_BOUNDS(kProductThreads, Tuning::kBlocks) few(ProductArgs a) {
  constexpr int kPanels = Tuning::kPanels, kSteps = Tuning::kSteps;
  auto& s = simt::shared<FewShared<kGroups, kPanels>>();
  const int end = segment(a.steps, simt::warp() + 1), g = simt::lane() / 4, t = simt::lane() % 4;
  int i = segment(a.steps, simt::warp());
  HalfStep next[kPanels][kSteps] = {};
  const std::byte* w[kPanels];
  const auto load = [&](int from) {
#pragma unroll
    for (int k = 0; k < kPanels * kSteps; ++k)
      if (const int step = from + k % kSteps; step < end)
        next[k / kSteps][k % kSteps] = load_step(w[k / kSteps] + int64_t{step} * kHalfStepBytes);
  };
  const auto begin = [&](int expert) {
    find_panels(a, expert, kHalfStepBytes, w);
    load(i);
  };
  if (!a.jobs.list) begin(0);
  simt::wait_for_previous();
  simt::let_next_begin();
  const ExpertJob job = job_of(a, 4 * kGroups);
  if (job.count <= 0) return;
  if (a.jobs.list) begin(job.expert);
  const std::byte* x[kGroups];
#pragma unroll
  for (int p = 0; p < kGroups; ++p) x[p] = split_of(a, job, p);
  float c[kPanels][kGroups][4] = {};
#pragma unroll(Tuning::kUnroll)
  for (; i < end; i += kSteps) {
    HalfStep steps[kPanels][kSteps];
#pragma unroll
    for (int k = 0; k < kPanels * kSteps; ++k) steps[k / kSteps][k % kSteps] = next[k / kSteps][k % kSteps];
    load(i + kSteps);
#pragma unroll
    for (int n = 0; n < kSteps; ++n)
      if (n == 0 || i + n < end)
#pragma unroll
        for (int p = 0; p < kGroups; ++p) {
          const simt::Words4 columns = simt::load16(x[p] + int64_t{i + n} * kTileBytes);
#pragma unroll
          for (int q = 0; q < kPanels; ++q) multiply<Format>(c[q][p], steps[q][n], columns);
        }
  }
#pragma unroll
  for (int q = 0; q < kPanels; ++q)
#pragma unroll
    for (int p = 0; p < kGroups; ++p)
#pragma unroll
      for (int e = 0; e < 4; ++e) s.parts[simt::warp()][q * 16 + g + e / 2 * 8][p * 8 + t * 2 + e % 2] = c[q][p][e];
  simt::sync_block();
  for (int k = simt::thread(); k < 16 * kPanels * job.count; k += kProductThreads) {
    const int r = k % (16 * kPanels), row = k / (16 * kPanels);
    float high = 0, low = 0;
#pragma unroll
    for (int q = 0; q < kSegments; ++q) {
      high += s.parts[q][r][2 * row];
      low += s.parts[q][r][2 * row + 1];
    }
    put_few<kPanels>(a, job, row, r, high + low);
  }
}

constexpr int kManyGroups = kManyRows / 4, kStages = 3;  // groups of 4 rows
struct ManyShared {
  alignas(128) simt::Words4 x[kStages][kManyGroups][simt::kWarp];
};

// Each warp asks for a group's tile.
SIMT_DEV void fetch(const ProductArgs& a, ManyShared& s, const std::byte* x, int step) {
  if (step < a.steps) simt::copy_async16(&s.x[step % kStages][simt::warp()][simt::lane()], x + int64_t{step} * kTileBytes);
  simt::copy_commit();
}

/// More rows: a block has 8 panels, a warp one of them and 32 rows, and goes through it segment by segment.
template <class Format>
SIMT_KERNEL void SIMT_BOUNDS(kProductThreads, 1) many(ProductArgs a) {
  auto& s = simt::shared<ManyShared>();
  const int panel = simt::block_x() * kSegments + simt::warp(), there = panel < a.panels ? panel : 0;
  HalfStep next = {};
  if (!a.jobs.list) next = load_step(panel_of(a, 0, there, kHalfStepBytes));
  simt::wait_for_previous();
  simt::let_next_begin();
  const ExpertJob job = job_of(a, kManyRows);
  if (job.count <= 0) return;
  const std::byte* w = panel_of(a, job.expert, there, kHalfStepBytes);
  if (a.jobs.list) next = load_step(w);
  const std::byte* x = split_of(a, job, simt::warp());
#pragma unroll
  for (int i = 0; i < kStages - 1; ++i) fetch(a, s, x, i);
  float sum[kManyGroups][4] = {};
#pragma unroll 1
  for (int seg = 0; seg < kSegments; ++seg) {
    float c[kManyGroups][4] = {};
#pragma unroll 1
    for (int i = segment(a.steps, seg); i < segment(a.steps, seg + 1); ++i) {
      simt::copy_wait<kStages - 2>();
      simt::sync_block();
      fetch(a, s, x, i + kStages - 1);
      const HalfStep step = next;
      if (i + 1 < a.steps) next = load_step(w + int64_t{i + 1} * kHalfStepBytes);
#pragma unroll
      for (int p = 0; p < kManyGroups; ++p) multiply<Format>(c[p], step, s.x[i % kStages][p][simt::lane()]);
    }
#pragma unroll
    for (int p = 0; p < kManyGroups; ++p)
#pragma unroll
      for (int e = 0; e < 4; ++e) sum[p][e] += c[p][e];
  }
  simt::copy_wait<0>();
  // Both halves of a row are neighbours in one lane.
#pragma unroll
  for (int p = 0; p < kManyGroups; ++p)
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int output = simt::lane() / 4 + h * 8, row = p * 4 + simt::lane() % 4;
      if (panel < a.panels && row < job.count) put_sum(a, job, row, panel, output, sum[p][2 * h] + sum[p][2 * h + 1]);
    }
}

using Usual = ProductTuning<1, 1, 4, 1>;

template <class Format, int kGroups, class Tuning>
void launch_few(simt::Stream stream, const ProductArgs& a, int64_t rows) {
  constexpr int kPanels = Tuning::kPanels;
  launch_tiling<few<Format, kGroups, Tuning>, FewShared<kGroups, kPanels>, kPanels, 4 * kGroups>(stream, a, rows);
}

}  // namespace
}  // namespace skald::gpu
