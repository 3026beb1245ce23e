// Feed-forwards by the experts that each token goes to: choices sorted by experts, for products with fragments
// (code_products.cu, half_products.cu); products with experts of other formats, number by number; and sums of products.
#include "kernels/gpu/experts.h"

#include "kernels/gpu/formats.h"
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/products.inl"
#include "kernels/gpu/rows.inl"

namespace skald::gpu {
namespace {

constexpr int kThreads = 64;  // outputs of a block
constexpr int kSortWarps = 8, kSortThreads = kSortWarps * simt::kWarp;

struct SortShared {
  int counts[kSortWarps][kMaxExperts];  // of each warp's choices; then those of the warps before it
  int totals[kMaxExperts];
  int firsts[kMaxExperts], jobs[kMaxExperts];  // the first choice and job of each expert
  int all_jobs;
};

SIMT_DEV int jobs_for(int choices, int most) { return (choices + most - 1) / most; }

// fn(choice, expert) for each of the warp's choices, 32 at a time; the expert is -1 after the last choice.
template <class Fn>
SIMT_DEV void for_own_choices(const SortExpertsArgs& a, Fn fn) {
  const int k = static_cast<int>(a.choice.n), n = *a.rows.at * k, parts = (n + simt::kWarp - 1) / simt::kWarp;
  for (int part = parts * simt::warp() / kSortWarps; part < parts * (simt::warp() + 1) / kSortWarps; ++part) {
    const int choice = part * simt::kWarp + simt::lane();
    fn(choice, choice < n ? a.choice.ids[choice / k * a.choice.step + choice % k] : -1);
  }
}

SIMT_DEV void count_choices(const SortExpertsArgs& a, SortShared& s) {
  for (int i = simt::thread(); i < kSortWarps * a.experts; i += kSortThreads) s.counts[i / a.experts][i % a.experts] = 0;
  simt::sync_block();
  for_own_choices(a, [&](int, int expert) {
    if (expert >= 0) simt::atomic_add(&s.counts[simt::warp()][expert], 1);
  });
  simt::sync_block();
  for (int e = simt::thread(); e < a.experts; e += kSortThreads) {
    int sum = 0;
    for (auto& counts : s.counts) {
      const int own = counts[e];
      counts[e] = sum;
      sum += own;
    }
    s.totals[e] = sum;
  }
}

// Each thread adds up what is before its experts.
SIMT_DEV void place_experts(const SortExpertsArgs& a, SortShared& s) {
  for (int e = simt::thread(); e < a.experts; e += kSortThreads) {
    int first = 0, job = 0;
    for (int before = 0; before < e; ++before) {
      first += s.totals[before];
      job += jobs_for(s.totals[before], a.most);
    }
    s.firsts[e] = first;
    s.jobs[e] = job;
    if (e == a.experts - 1) s.all_jobs = job + jobs_for(s.totals[e], a.most);
  }
}

SIMT_DEV void list_jobs(const SortExpertsArgs& a, const SortShared& s) {
  for (int e = simt::thread(); e < a.experts; e += kSortThreads)
    for (int at = 0, job = s.jobs[e]; at < s.totals[e]; at += a.most, ++job)
      a.jobs[job] = {e, s.firsts[e] + at, at_most(s.totals[e] - at, a.most)};
  for (int job = s.all_jobs + simt::thread(); job < a.n_jobs; job += kSortThreads) a.jobs[job] = {};
}

// A choice's place is after those of lanes before it that go to the same expert.
SIMT_DEV void list_choices(const SortExpertsArgs& a, SortShared& s) {
  for_own_choices(a, [&](int choice, int expert) {
    int before = 0, after = 0;
    for (int lane = 0; lane < simt::kWarp; ++lane) {
      const bool same = simt::shuffle(expert, lane) == expert;
      before += same && lane < simt::lane();
      after += same && lane > simt::lane();
    }
    const int place = expert < 0 ? 0 : s.counts[simt::warp()][expert] + before;
    if (expert >= 0) a.choices[s.firsts[expert] + place] = choice;
    simt::sync_warp();
    if (expert >= 0 && after == 0) s.counts[simt::warp()][expert] = place + 1;
    simt::sync_warp();
  });
}

// One block.
SIMT_KERNEL void SIMT_BOUNDS(kSortThreads, 1) sort_experts(SortExpertsArgs a) {
  SortShared& s = simt::shared<SortShared>();
  simt::wait_for_previous();
  simt::let_next_begin();
  count_choices(a, s);
  simt::sync_block();
  place_experts(a, s);
  simt::sync_block();
  list_jobs(a, s);
  list_choices(a, s);
}

void launch_sort_experts(simt::Stream stream, const SortExpertsArgs& a, int64_t) {
  launch_early<sort_experts>(stream, {{1}, kSortThreads, sizeof(SortShared)}, a);
}

// A thread per output of one of a row's experts.
template <class Format>
SIMT_KERNEL void expert_linear(ExpertLinearArgs a) {
  const int64_t row = simt::block_y(), slot = simt::block_z();
  const int64_t output = int64_t{simt::block_x()} * kThreads + simt::thread(), n = a.weights.rows.rows;
  if (!begin_row(a.rows, row) || output >= n) return;
  const ExpertWeights& w = a.weights;
  const int32_t expert = a.choice.ids[row * a.choice.step + slot];
  const int64_t at = expert * n + output;
  const float* x = a.x.data + row * a.x.step + slot * a.x_part;
  float y = product<Format>(w.rows.data + at * w.rows.row_bytes, x, w.rows.columns);
  if (w.scales) y *= w.scales[expert];
  a.out.data[row * a.out.step + slot * n + output] = w.biases ? y + w.biases[at] : y;
}

template <class Format>
void launch_expert_linear(simt::Stream stream, const ExpertLinearArgs& a, int64_t rows) {
  const simt::Grid grid{blocks_for(a.weights.rows.rows, kThreads), static_cast<unsigned>(rows),
                        static_cast<unsigned>(a.choice.n)};
  launch_early<expert_linear<Format>>(stream, {grid, kThreads}, a);
}

// The slot of the least expert after the one in `last`, equal ones in their order; -1: of all.
SIMT_DEV int64_t next_slot(const int32_t* ids, int64_t n, int64_t last) {
  int64_t best = -1;
  for (int64_t i = 0; i < n; ++i) {
    const bool after = last < 0 || ids[i] > ids[last] || (ids[i] == ids[last] && i > last);
    if (after && (best < 0 || ids[i] < ids[best])) best = i;
  }
  return best;
}

// A thread per output of a row: experts are added by rising id.
SIMT_KERNEL void mix_experts(MixExpertsArgs a) {
  const int64_t row = simt::block_y(), output = int64_t{simt::block_x()} * kThreads + simt::thread();
  if (!begin_row(a.rows, row) || output >= a.n) return;
  const int32_t* ids = a.choice.ids + row * a.choice.step;
  const float *x = a.x.data + row * a.x.step + output, *shares = a.shares.data + row * a.shares.step;
  float sum = 0;
  int64_t slot = -1;
  for (int64_t i = 0; i < a.choice.n; ++i) {
    slot = next_slot(ids, a.choice.n, slot);
    sum = simt::fma1(shares[slot], x[slot * a.n], sum);
  }
  a.out.data[row * a.out.step + output] = sum;
}

void launch_mix_experts(simt::Stream stream, const MixExpertsArgs& a, int64_t rows) {
  launch_early<mix_experts>(stream, {{blocks_for(a.n, kThreads), static_cast<unsigned>(rows)}, kThreads}, a);
}

}  // namespace

template <>
void fill_experts<simt::Target>(GpuKernels& kernels) {
  kernels.sort_experts = launch_sort_experts;
  kernels.mix_experts = launch_mix_experts;
  for_each_format_without_fragments(
      [&]<class Format>() { kernels.expert_linear[Format::kId] = launch_expert_linear<Format>; });
}

}  // namespace skald::gpu
