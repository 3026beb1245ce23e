#include "graph/ops/choose_experts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/cpu/cpu_op.h"

namespace skald {
namespace {

constexpr float kWorst = -std::numeric_limits<float>::infinity(), kTaken = std::numeric_limits<float>::quiet_NaN();

// The index of the best of n scores, the first of equals, which is marked as taken; one that is not taken must be left.
int64_t take_best(float* scores, int64_t n) {
  int64_t best = -1;
  for (int64_t i = 0; i < n; ++i)
    if (best < 0 ? !std::isnan(scores[i]) : scores[i] > scores[best]) best = i;
  scores[best] = kTaken;
  return best;
}

// The sum of the best `best` of n scores.
float group_score(const float* scores, int64_t n, int64_t best, float* work) {
  std::copy_n(scores, n, work);
  float sum = 0;
  for (int64_t i = 0; i < best; ++i) {
    const int64_t at = std::max_element(work, work + n) - work;
    sum += work[at];
    work[at] = kWorst;
  }
  return std::isnan(sum) ? kWorst : sum;  // infinities of both signs
}

// Leaves only the scores of the best groups; work (groups + experts per group).
void keep_best_groups(const ChooseExperts& a, float* scores, int64_t n, float* work) {
  const int64_t per_group = n / a.groups;
  float* sums = work;
  for (int64_t g = 0; g < a.groups; ++g)
    sums[g] = group_score(scores + g * per_group, per_group, a.group_best, work + a.groups);
  for (int64_t g = 0; g < a.groups_used; ++g) take_best(sums, a.groups);
  for (int64_t g = 0; g < a.groups; ++g)
    if (!std::isnan(sums[g])) std::fill_n(scores + g * per_group, per_group, kTaken);
}

// work (2 n + groups)
void choose(const ChooseExperts& a, const float* scores, const float* added, int64_t n, float* work, int32_t* ids) {
  for (int64_t i = 0; i < n; ++i) {
    const float score = added ? scores[i] + added[i] : scores[i];
    work[i] = std::isnan(score) ? kWorst : score;
  }
  if (a.groups > 1) keep_best_groups(a, work, n, work + n);
  for (int64_t j = 0; j < a.k; ++j) ids[j] = static_cast<int32_t>(take_best(work, n));
}

int64_t floats_of_work(const ChooseExperts& a, int64_t n) { return 2 * n + a.groups; }

int64_t plan(const ChooseExperts& a, const CpuPlanArgs& args) {
  return args.n_threads * floats_of_work(a, args.in[0].shape[1]) * static_cast<int64_t>(sizeof(float));
}

void run(CpuContext& cx, const ChooseExperts& a, const OpArgs& io) {
  const TensorView& scores = io.in[0];
  const int64_t n = scores.cols();
  const float* added = io.in.size() == 2 ? io.in[1].as() : nullptr;
  const auto rows = [&](int64_t begin, int64_t end, int thread) {
    float* work = reinterpret_cast<float*>(cx.scratch) + thread * floats_of_work(a, n);
    for (int64_t r = begin; r < end; ++r) choose(a, scores.row(r), added, n, work, io.out.row<int32_t>(r));
  };
  constexpr int64_t kForkScores = 4096;  // each is looked at k times
  if (scores.rows() * n < kForkScores)
    rows(0, scores.rows(), 0);
  else
    cx.pool.ranges(scores.rows(), 1, rows);
}

}  // namespace

extern const CpuOp cpu_choose_experts;
const CpuOp cpu_choose_experts = implement<ChooseExperts, run, plan>(op_choose_experts);

}  // namespace skald
