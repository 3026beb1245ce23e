// Products with weights of 16-bit floats, in fragments, by the tensor cores: f16 and bf16. Activations are split into two
// halves of 16 bits, x = high + low, which take two columns of a product: the precision of floats for nothing at few rows.
// Bound: the bytes of the weights, up to some 16 rows; then the tensor cores.
// SASS of few, many: HMMA.16816.F32, LDG.E.NA.LTC128B.128.CONSTANT.
#include "fragment_blocks.h"
#include "kernels/gpu/fragments.h"
#include "kernels/gpu/kernel_table.h"
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

template <int kGroups>
struct FewShared {
  float parts[kSegments][16][kGroups * 8 + 1];
};

/// Few rows of activations: a block has a panel, each of its warps a segment of the columns. Groups of 4 rows.
template <class Format, int kGroups>
SIMT_KERNEL void SIMT_BOUNDS(kProductThreads, 1) few(ProductArgs a) {
  auto& s = simt::shared<FewShared<kGroups>>();
  const int end = segment(a.steps, simt::warp() + 1), g = simt::lane() / 4, t = simt::lane() % 4;
  int i = segment(a.steps, simt::warp());
  const int64_t from = int64_t{i < a.steps ? i : 0} * kHalfStepBytes;
  HalfStep next = {};
  if (!a.jobs.list) next = load_step(panel_of(a, 0, simt::block_x(), kHalfStepBytes) + from);
  simt::wait_for_previous();
  simt::let_next_begin();
  const ExpertJob job = job_of(a, 4 * kGroups);
  if (job.count <= 0) return;
  const std::byte* w = panel_of(a, job.expert, simt::block_x(), kHalfStepBytes);
  if (a.jobs.list) next = load_step(w + from);
  const std::byte* x[kGroups];
#pragma unroll
  for (int p = 0; p < kGroups; ++p) x[p] = split_of(a, job, p);
  float c[kGroups][4] = {};
#pragma unroll 4
  for (; i < end; ++i) {
    const HalfStep step = next;
    if (i + 1 < end) next = load_step(w + int64_t{i + 1} * kHalfStepBytes);
#pragma unroll
    for (int p = 0; p < kGroups; ++p) multiply<Format>(c[p], step, simt::load16(x[p] + int64_t{i} * kTileBytes));
  }
#pragma unroll
  for (int p = 0; p < kGroups; ++p)
#pragma unroll
    for (int e = 0; e < 4; ++e) s.parts[simt::warp()][g + e / 2 * 8][p * 8 + t * 2 + e % 2] = c[p][e];
  simt::sync_block();
  for (int k = simt::thread(); k < 16 * job.count; k += kProductThreads) {
    const int r = k % 16, row = k / 16;
    float high = 0, low = 0;
#pragma unroll
    for (int q = 0; q < kSegments; ++q) {
      high += s.parts[q][r][2 * row];
      low += s.parts[q][r][2 * row + 1];
    }
    put_sum(a, job, row, simt::block_x(), r, high + low);
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

template <class Format>
void launch_product(simt::Stream stream, const ProductArgs& a, int64_t rows) {
  const int64_t most = rows_of_block(a, rows);
  if (most <= 4) return launch_tiling<few<Format, 1>, FewShared<1>, 1, 4>(stream, a, rows);
  if (most <= 8) return launch_tiling<few<Format, 2>, FewShared<2>, 1, 8>(stream, a, rows);
  if (most <= 16) return launch_tiling<few<Format, 4>, FewShared<4>, 1, 16>(stream, a, rows);
  launch_tiling<many<Format>, ManyShared, kSegments, kManyRows>(stream, a, rows);
}

}  // namespace

template <>
void fill_half_products<simt::Target>(GpuKernels& kernels) {
  for_each_format_in_halfs([&]<class Format>() { kernels.product[Format::kId] = launch_product<Format>; });
}

}  // namespace skald::gpu
