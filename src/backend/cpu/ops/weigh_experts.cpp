#include "graph/ops/weigh_experts.h"

#include <algorithm>
#include <cmath>

#include "backend/cpu/ops/rowwise.h"

namespace skald {
namespace {

void softmax(float* x, int64_t n) {
  const float largest = *std::max_element(x, x + n);
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i] = std::exp(x[i] - largest);
  for (int64_t i = 0; i < n; ++i) x[i] /= sum;
}

// The least sum that is divided by: scores that all are 0 stay 0.
constexpr float kLeastSum = 1e-20f;

void weigh(const WeighExperts& a, const float* scores, const int32_t* ids, float* out, int64_t k) {
  for (int64_t j = 0; j < k; ++j) out[j] = scores[ids[j]];
  if (a.softmax) softmax(out, k);
  float factor = a.scale;
  if (a.normalise) {
    float sum = 0;
    for (int64_t j = 0; j < k; ++j) sum += out[j];
    factor /= std::max(sum, kLeastSum);
  }
  if (factor != 1.0f)
    for (int64_t j = 0; j < k; ++j) out[j] *= factor;
}

void run(CpuContext& cx, const WeighExperts& a, const OpArgs& io) {
  const int64_t k = io.out.cols();
  for_rows(cx, io.out.rows(), k, [&](int64_t r) { weigh(a, io.in[0].row(r), io.in[1].row<int32_t>(r), io.out.row(r), k); });
}

}  // namespace

extern const CpuOp cpu_weigh_experts;
const CpuOp cpu_weigh_experts = implement<WeighExperts, run>(op_weigh_experts);

}  // namespace skald
