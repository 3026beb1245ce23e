// SoftmaxState: running results of an online softmax for some queries, and how two of them are merged.
#pragma once

#include <cstdint>

#include "kernels/api/kernel_table.h"

namespace skald {

/// Plain pointers into scratch memory.
struct SoftmaxState {
  float* max;      // (n): the largest score so far
  float* sum;      // (n): sum of exp(score - max)
  float* out;      // (n, stride): sum of exp(score - max) * value
  int64_t stride;  // floats

  static constexpr int64_t floats(int64_t n, int64_t stride) { return n * (2 + stride); }
  static SoftmaxState at(float* memory, int64_t n, int64_t stride) { return {memory, memory + n, memory + 2 * n, stride}; }

  float* row(int64_t i) const { return out + i * stride; }
  void clear(int64_t n) const;
  /// Scores (rows, keys), `scores_stride` apart, of the queries from `first` on become weights: exp(score - max). The first
  /// `columns` of their rows follow where the maximum grows.
  void weigh(const KernelTable& kernels, int64_t first, int64_t rows, int64_t keys, float* scores, int64_t scores_stride,
             int64_t columns) const;
  /// Adds the sums of `part`, which are of other keys.
  void merge(const KernelTable& kernels, const SoftmaxState& part, int64_t n) const;
  /// By which query i's row becomes a weighted mean; a sink logit (null: none) takes weight without giving a value.
  float norm(int64_t i, const float* sink) const;
};

}  // namespace skald
