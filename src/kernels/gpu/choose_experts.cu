// The experts that tokens go to, and how much each counts. An expert's place is the number of better ones: no sort, and no
// memory. Bound: comparisons, of each score with all others.
#include "kernels/gpu/choose_experts.h"

#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/rows.inl"

namespace skald::gpu {
namespace {

constexpr int kThreads = 64, kWeighThreads = 32;

struct Shared {
  float groups[kMaxExpertGroups];  // how good they are
  bool used[kMaxExpertGroups];
};

/// The scores of a row, and what is added to them, if anything is.
struct Scores {
  const float *scores, *added;
  // One that is no number is the worst.
  SIMT_DEV float at(int64_t i) const {
    const float score = added ? scores[i] + added[i] : scores[i];
    return score != score ? -simt::infinity() : score;
  }
};

// Of equal ones the first.
SIMT_DEV bool better(float a, int64_t at_a, float b, int64_t at_b) { return a > b || (a == b && at_a < at_b); }

// The best of the experts [first, end) after the one `last`; -1: of all. -1 where none is left.
SIMT_DEV int64_t next_best(const Scores& scores, int64_t first, int64_t end, int64_t last) {
  int64_t best = -1;
  for (int64_t i = first; i < end; ++i) {
    if (last >= 0 && !better(scores.at(last), last, scores.at(i), i)) continue;
    if (best < 0 || better(scores.at(i), i, scores.at(best), best)) best = i;
  }
  return best;
}

// The sum of a group's best scores.
SIMT_DEV float group_score(const Scores& scores, int64_t first, int64_t end, int64_t best) {
  float sum = 0;
  int64_t last = -1;
  for (int64_t i = 0; i < best; ++i) {
    last = next_best(scores, first, end, last);
    sum += last < 0 ? -simt::infinity() : scores.at(last);
    if (last < 0) break;
  }
  return sum != sum ? -simt::infinity() : sum;  // infinities of both signs
}

// Which groups are chosen from.
SIMT_DEV void choose_groups(const ChooseExpertsArgs& a, const Scores& scores, Shared& s) {
  const int64_t per_group = a.experts / a.groups;
  for (int64_t g = simt::thread(); g < a.groups; g += kThreads)
    s.groups[g] = a.groups > 1 ? group_score(scores, g * per_group, (g + 1) * per_group, a.group_best) : 0;
  simt::sync_block();
  for (int64_t g = simt::thread(); g < a.groups; g += kThreads) {
    int64_t place = 0;
    for (int64_t i = 0; i < a.groups; ++i) place += better(s.groups[i], i, s.groups[g], g);
    s.used[g] = a.groups == 1 || place < a.groups_used;
  }
  simt::sync_block();
}

// A block per row.
SIMT_KERNEL void choose_experts(ChooseExpertsArgs a) {
  Shared& s = simt::shared<Shared>();
  const int64_t row = simt::block_x();
  if (!begin_row(a.rows, row)) return;
  const Scores scores{a.scores.data + row * a.scores.step, a.added};
  choose_groups(a, scores, s);
  const int64_t per_group = a.experts / a.groups;
  for (int64_t i = simt::thread(); i < a.experts; i += kThreads) {
    if (!s.used[i / per_group]) continue;
    int64_t place = 0;
    for (int64_t j = 0; j < a.experts; ++j) place += s.used[j / per_group] && better(scores.at(j), j, scores.at(i), i);
    if (place < a.k) a.ids[row * a.ids_step + place] = static_cast<int32_t>(i);
  }
}

void launch_choose_experts(simt::Stream stream, const ChooseExpertsArgs& a, int64_t rows) {
  launch_early<choose_experts>(stream, {{static_cast<unsigned>(rows)}, kThreads, sizeof(Shared)}, a);
}

SIMT_DEV void softmax(float* x, int64_t n) {
  float top = x[0], sum = 0;
  for (int64_t i = 1; i < n; ++i) top = x[i] > top ? x[i] : top;
  for (int64_t i = 0; i < n; ++i) sum += x[i] = simt::exponential(x[i] - top);
  for (int64_t i = 0; i < n; ++i) x[i] /= sum;
}

// A thread per row.
SIMT_KERNEL void weigh_experts(WeighExpertsArgs a) {
  constexpr float kLeastSum = 1e-20f;  // that is divided by: scores that all are 0 stay 0
  const int64_t row = int64_t{simt::block_x()} * kWeighThreads + simt::thread(), k = a.choice.n;
  if (!begin_row(a.rows, row)) return;
  const int32_t* ids = a.choice.ids + row * a.choice.step;
  float* out = a.out.data + row * a.out.step;
  for (int64_t i = 0; i < k; ++i) out[i] = a.scores.data[row * a.scores.step + ids[i]];
  if (a.softmax) softmax(out, k);
  float factor = a.scale;
  if (a.normalise) {
    float sum = 0;
    for (int64_t i = 0; i < k; ++i) sum += out[i];
    factor /= sum < kLeastSum ? kLeastSum : sum;
  }
  if (factor != 1)
    for (int64_t i = 0; i < k; ++i) out[i] *= factor;
}

void launch_weigh_experts(simt::Stream stream, const WeighExpertsArgs& a, int64_t rows) {
  launch_early<weigh_experts>(stream, {{blocks_for(rows, kWeighThreads)}, kWeighThreads}, a);
}

}  // namespace

template <>
void fill_choose_experts<simt::Target>(GpuKernels& kernels) {
  kernels.choose_experts = launch_choose_experts;
  kernels.weigh_experts = launch_weigh_experts;
}

}  // namespace skald::gpu
