#include "graph/ops/softmax.h"

#include <algorithm>
#include <cmath>

#include "backend/cpu/ops/rowwise.h"

namespace skald {
namespace {

void softmax_part(const KernelTable& kernels, const float* x, const float* sink, float* y, int64_t n) {
  if (y != x) std::copy_n(x, n, y);
  float largest = sink ? *sink : -1e30f, sum = sink ? 1.0f : 0.0f;
  kernels.softmax({.scores = y,
                   .scores_stride = 0,
                   .rows = 1,
                   .n = n,
                   .max = &largest,
                   .sum = &sum,
                   .out = nullptr,
                   .out_stride = 0,
                   .d = 0});
  kernels.scale(1.0f / sum, y, y, n);
}

void run(CpuContext& cx, const Softmax& a, const OpArgs& io) {
  const int64_t n = io.out.cols() / a.parts;
  const float* sinks = io.in.size() == 2 ? io.in[1].as() : nullptr;
  for_rows(cx, io.out.rows(), io.out.cols(), [&](int64_t row) {
    for (int64_t p = 0; p < a.parts; ++p)
      softmax_part(cx.kernels, io.in[0].row(row) + p * n, sinks ? sinks + p : nullptr, io.out.row(row) + p * n, n);
  });
}

}  // namespace

extern const CpuOp cpu_softmax;
const CpuOp cpu_softmax = implement<Softmax, run>(op_softmax);

}  // namespace skald
