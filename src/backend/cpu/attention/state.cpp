#include "backend/cpu/attention/state.h"

#include <algorithm>
#include <cmath>

namespace skald {

void SoftmaxState::clear(int64_t n) const {
  std::fill_n(max, n, -1e30f);
  std::fill_n(sum, n, 0.0f);
  std::fill_n(out, n * stride, 0.0f);
}

void SoftmaxState::weigh(const KernelTable& kernels, int64_t first, int64_t rows, int64_t keys, float* scores,
                         int64_t scores_stride, int64_t columns) const {
  kernels.softmax({.scores = scores,
                   .scores_stride = scores_stride,
                   .rows = rows,
                   .n = keys,
                   .max = max + first,
                   .sum = sum + first,
                   .out = row(first),
                   .out_stride = stride,
                   .d = columns});
}

void SoftmaxState::merge(const KernelTable& kernels, const SoftmaxState& part, int64_t n) const {
  for (int64_t i = 0; i < n; ++i) {
    const float top = std::max(max[i], part.max[i]);
    const float own = std::exp(max[i] - top), other = std::exp(part.max[i] - top);
    sum[i] = sum[i] * own + part.sum[i] * other;
    max[i] = top;
    kernels.scale(own, row(i), row(i), stride);
    kernels.add_scaled(other, part.row(i), row(i), stride);
  }
}

float SoftmaxState::norm(int64_t i, const float* sink) const {
  if (!sink) return 1.0f / sum[i];
  const float top = std::max(max[i], *sink), own = std::exp(max[i] - top);
  return own / (sum[i] * own + std::exp(*sink - top));
}

}  // namespace skald
