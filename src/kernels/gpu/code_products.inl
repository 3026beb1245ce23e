// Products with weights that are integers with scales, in fragments, as kernels of any Tuning. See code_products.cu.
#pragma once

#include "fragment_blocks.h"
#include "kernels/gpu/bytes.inl"
#include "kernels/gpu/fragments.h"

namespace skald::gpu {
namespace {

/// Four blocks of 32 columns of a panel, as a lane has them: what mma_s8 takes, and scales and offsets of its two rows, for
/// the whole block or for each of its halves. Offsets are multiplied by the sums of activations.
template <int kParts>
struct CodeUnit {
  uint32_t a[4][4];
  float scale[4][kParts][2], offset[4][kParts][2];
};
/// The same columns of activations: what mma_s8 takes for the lane's column; scales and sums of its two sums' rows.
struct RowUnit {
  simt::Words4 codes[2], scales[2], sums[2];
};

// What formats share, and then these.
#include "quant/gpu_levels.inl"

#include "quant/fragment_codes.inl"

#include "quant/few_bits_fragments.inl"
#include "quant/lined_fragments.inl"

#include "code_fragments.inl"

// A sum begins at 1.5 * 2^23 as an integer, and is that plus the sum as a float: one subtraction instead of a conversion,
// which has a quarter of the rate. The sum is below 2^22: 32 * 128 * 127 is an eighth of it.
constexpr int kBias = 0x4b400000;
constexpr float kBiasValue = 12582912.0f;

SIMT_DEV float sum_of(int biased) { return simt::as_float(static_cast<uint32_t>(biased)) - kBiasValue; }

/// The columns that a scale is for, of block j.
template <int kParts>
SIMT_DEV void multiply_part(int (&s)[4], const uint32_t (&a)[4], uint32_t first, uint32_t second, int part) {
  if constexpr (kParts == 1)
    simt::mma_s8(s, a, {first, second});
  else
    simt::mma_s8(s, {a[2 * part], a[2 * part + 1]}, part ? second : first);
}

/// Sums of activations are there for whole blocks: those of halves are products with ones.
template <class Format>
constexpr bool kReadsSums = Format::kOffsets&& Format::kParts == 1;

template <class Format>
SIMT_DEV void multiply(float (&c)[4], const CodeUnit<Format::kParts>& w, const RowUnit& x) {
#pragma unroll
  for (int j = 0; j < 4; ++j)
#pragma unroll
    for (int part = 0; part < Format::kParts; ++part) {
      const uint32_t first = x.codes[j / 2].w[j % 2 * 2], second = x.codes[j / 2].w[j % 2 * 2 + 1];
      int s[4] = {kBias, kBias, kBias, kBias}, ones[4] = {kBias, kBias, kBias, kBias};
      multiply_part<Format::kParts>(s, w.a[j], first, second, part);
      if constexpr (Format::kOffsets && !kReadsSums<Format>)
        multiply_part<Format::kParts>(ones, {0x01010101, 0x01010101, 0x01010101, 0x01010101}, first, second, part);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float scale = simt::as_float(x.scales[e % 2].w[j]);
        c[e] = simt::fma1(sum_of(s[e]), w.scale[j][part][e / 2] * scale, c[e]);
        if constexpr (kReadsSums<Format>)
          c[e] = simt::fma1(w.offset[j][part][e / 2], simt::as_float(x.sums[e % 2].w[j]), c[e]);
        else if constexpr (Format::kOffsets)
          c[e] = simt::fma1(w.offset[j][part][e / 2], scale * sum_of(ones[e]), c[e]);
      }
    }
}

template <int kGroups, int kPanels>
struct FewShared {
  float parts[kSegments][kGroups * 8][kPanels * 16 + 1];
};

/// Few rows of activations: a block has some panels, each of its warps a segment of their columns. Groups of 8 rows.
template <class Format, int kGroups, class Tuning>
SIMT_KERNEL void SIMT_BOUNDS(kProductThreads, Tuning::kBlocks) few(ProductArgs a) {
  constexpr int kPanels = Tuning::kPanels, kSteps = Tuning::kSteps;
  auto& s = simt::shared<FewShared<kGroups, kPanels>>();
  const int g = simt::lane() / 4, t = simt::lane() % 4, end = segment(a.steps, simt::warp() + 1);
  int i = segment(a.steps, simt::warp());
  typename Format::Step next[kPanels][kSteps] = {};
  const std::byte* w[kPanels];
  const auto load = [&](int from) {
#pragma unroll
    for (int k = 0; k < kPanels * kSteps; ++k)
      if (const int step = from + k % kSteps; step < end)
        next[k / kSteps][k % kSteps] = Format::load(w[k / kSteps] + int64_t{step} * Format::kBytes);
  };
  const auto begin = [&](int expert) {
    find_panels(a, expert, Format::kBytes, w);
    load(i);
  };
  if (!a.jobs.list) begin(0);
  simt::wait_for_previous();
  simt::let_next_begin();
  const ExpertJob job = job_of(a, 8 * kGroups);
  if (job.count <= 0) return;
  if (a.jobs.list) begin(job.expert);
  int64_t at[kGroups][3];  // of the rows of columns g, 2 t and 2 t + 1
#pragma unroll
  for (int p = 0; p < kGroups; ++p)
#pragma unroll
    for (int j = 0; j < 3; ++j) at[p][j] = row_of(a, job, 8 * p + (j == 0 ? g : 2 * t + j - 1)) * a.units;
  float c[kPanels][kGroups][4] = {};
#pragma unroll(Tuning::kUnroll)
  for (; i < end; i += kSteps) {
    typename Format::Step steps[kPanels][kSteps];
#pragma unroll
    for (int k = 0; k < kPanels * kSteps; ++k) steps[k / kSteps][k % kSteps] = next[k / kSteps][k % kSteps];
    load(i + kSteps);
#pragma unroll
    for (int n = 0; n < kSteps * Format::kUnits; ++n)
      if (n < Format::kUnits || i + n / Format::kUnits < end) {
        CodeUnit<Format::kParts> units[kPanels];
#pragma unroll
        for (int q = 0; q < kPanels; ++q) Format::unit(steps[q][n / Format::kUnits], n % Format::kUnits, units[q]);
        const int number = i * Format::kUnits + n;
#pragma unroll
        for (int p = 0; p < kGroups; ++p) {
          RowUnit x;
#pragma unroll
          for (int h = 0; h < 2; ++h) {
            x.codes[h] = simt::load16(a.coded.codes + (at[p][0] + number) * kUnitColumns + h * 64 + t * 16);
            x.scales[h] = simt::load16(a.coded.scales + (at[p][1 + h] + number) * 4);
            if (kReadsSums<Format>) x.sums[h] = simt::load16(a.coded.sums + (at[p][1 + h] + number) * 4);
          }
#pragma unroll
          for (int q = 0; q < kPanels; ++q) multiply<Format>(c[q][p], units[q], x);
        }
      }
  }
#pragma unroll
  for (int q = 0; q < kPanels; ++q)
#pragma unroll
    for (int p = 0; p < kGroups; ++p)
#pragma unroll
      for (int e = 0; e < 4; ++e) s.parts[simt::warp()][p * 8 + 2 * t + e % 2][q * 16 + g + e / 2 * 8] = c[q][p][e];
  simt::sync_block();
  for (int k = simt::thread(); k < 16 * kPanels * job.count; k += kProductThreads) {
    const int r = k % (16 * kPanels), row = k / (16 * kPanels);
    float sum = 0;
#pragma unroll
    for (int q = 0; q < kSegments; ++q) sum += s.parts[q][row][r];
    put_few<kPanels>(a, job, row, r, sum);
  }
}

// Rows of a unit in shared memory. Odd rows have their halves exchanged: eight lanes read eight different groups of banks.
constexpr int kStages = 3;
struct ManyShared {
  alignas(128) int8_t codes[kStages][kManyRows][kUnitColumns];
  float scales[kStages][kManyRows][4], sums[kStages][kManyRows][4];
};

/// One unit of 32 rows, asked for by all threads of a block; `from`: the first unit of the thread's row.
template <class Format>
SIMT_DEV void fetch(const ProductArgs& a, ManyShared& s, int64_t from, int unit) {
  const int row = simt::thread() / 8, part = simt::thread() % 8;
  if (unit < a.units) {
    const int stage = unit % kStages;
    const int64_t at = from + unit;
    simt::copy_async16(&s.codes[stage][row][(part ^ (row & 1) * 4) * 16], a.coded.codes + at * kUnitColumns + part * 16);
    if (part == 0) simt::copy_async16(s.scales[stage][row], a.coded.scales + at * 4);
    if (part == 1 && kReadsSums<Format>) simt::copy_async16(s.sums[stage][row], a.coded.sums + at * 4);
  }
  simt::copy_commit();
}

/// More rows: a block has 8 panels, a warp one of them and 32 rows, and goes through it segment by segment.
template <class Format>
SIMT_KERNEL void SIMT_BOUNDS(kProductThreads, 1) many(ProductArgs a) {
  constexpr int kGroups = kManyRows / 8;
  auto& s = simt::shared<ManyShared>();
  const int g = simt::lane() / 4, t = simt::lane() % 4;
  const int panel = simt::block_x() * kSegments + simt::warp(), there = panel < a.panels ? panel : 0;
  typename Format::Step next = {};
  if (!a.jobs.list) next = Format::load(panel_of(a, 0, there, Format::kBytes));
  simt::wait_for_previous();
  simt::let_next_begin();
  const ExpertJob job = job_of(a, kManyRows);
  if (job.count <= 0) return;
  const std::byte* w = panel_of(a, job.expert, there, Format::kBytes);
  if (a.jobs.list) next = Format::load(w);
  const int64_t from = row_of(a, job, simt::thread() / 8) * a.units;
#pragma unroll
  for (int i = 0; i < kStages - 1; ++i) fetch<Format>(a, s, from, i);
  float sum[kGroups][4] = {};
#pragma unroll 1
  for (int seg = 0; seg < kSegments; ++seg) {
    float c[kGroups][4] = {};
#pragma unroll 1
    for (int i = segment(a.steps, seg); i < segment(a.steps, seg + 1); ++i) {
      const typename Format::Step step = next;
      if (i + 1 < a.steps) next = Format::load(w + int64_t{i + 1} * Format::kBytes);
#pragma unroll
      for (int u = 0; u < Format::kUnits; ++u) {
        const int number = i * Format::kUnits + u, stage = number % kStages;
        simt::copy_wait<kStages - 2>();
        simt::sync_block();
        fetch<Format>(a, s, from, number + kStages - 1);
        CodeUnit<Format::kParts> unit;
        Format::unit(step, u, unit);
#pragma unroll
        for (int p = 0; p < kGroups; ++p) {
          RowUnit x;
#pragma unroll
          for (int h = 0; h < 2; ++h) {
            x.codes[h] = simt::load16(&s.codes[stage][8 * p + g][((h * 4 + t) ^ (g & 1) * 4) * 16]);
            x.scales[h] = simt::load16(s.scales[stage][8 * p + 2 * t + h]);
            if (kReadsSums<Format>) x.sums[h] = simt::load16(s.sums[stage][8 * p + 2 * t + h]);
          }
          multiply<Format>(c[p], unit, x);
        }
      }
    }
#pragma unroll
    for (int p = 0; p < kGroups; ++p)
#pragma unroll
      for (int e = 0; e < 4; ++e) sum[p][e] += c[p][e];
  }
  simt::copy_wait<0>();
#pragma unroll
  for (int p = 0; p < kGroups; ++p)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int i = 8 * p + 2 * t + e % 2;
      if (panel < a.panels && i < job.count) put_sum(a, job, i, panel, g + e / 2 * 8, sum[p][e]);
    }
}

template <class Format, int kGroups>
using Usual = ProductTuning<1, 1, 1, kGroups == 1 && Format::kUnits == 1 ? 2 : 1>;

template <class Format, int kGroups, class Tuning>
void launch_few(simt::Stream stream, const ProductArgs& a, int64_t rows) {
  constexpr int kPanels = Tuning::kPanels;
  launch_tiling<few<Format, kGroups, Tuning>, FewShared<kGroups, kPanels>, kPanels, 8 * kGroups>(stream, a, rows);
}

}  // namespace
}  // namespace skald::gpu
