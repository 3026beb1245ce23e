#include "graph/ops/glu_linear.h"

#include <algorithm>

#include "backend/cpu/low_rank.h"
#include "backend/cpu/matmul.h"
#include "base/checked.h"

namespace skald {
namespace {

// Outputs that a thread computes before it combines both products, which are in its L2 cache then.
constexpr int64_t kFloatsAtOnce = 262144;

int64_t outputs_at_once(int64_t tokens) {
  return std::max(kFloatsAtOnce / tokens / kOutputGrain * kOutputGrain, kOutputGrain);
}

// Scratch: activations for the gate, activations for the other weights should these want another form, a block per thread.
struct Parts {
  int64_t gate, up, block;  // bytes

  Parts(const KernelTable& kernels, const Shape& x, const TensorView& gate_w, const TensorView& up_w)
      : gate(matmul_scratch(kernels, x, gate_w)),
        up(matmul_scratch(kernels, x, up_w)),
        block(outputs_at_once(x[0]) * x[0] * static_cast<int64_t>(sizeof(float))) {}
};

int64_t plan(const Activate&, const CpuPlanArgs& args) {
  // Fewer tokens take longer blocks: the most that any number of them wants.
  const Shape& x = args.in[0].shape;
  const Parts parts(args.kernels, x, args.views[1], args.views[2]);
  return parts.gate + parts.up + args.n_threads * std::max(parts.block, (kFloatsAtOnce + kOutputGrain * x[0]) * 4);
}

void run(CpuContext& cx, const Activate& a, const OpArgs& io) {
  const TensorView &x = io.in[0], &gate = io.in[1], &up = io.in[2], &y = io.out;
  const Parts parts(cx.kernels, x.shape(), gate, up);
  const MatmulInput for_gate = prepare(cx, x, gate, cx.scratch);
  const MatmulInput for_up = serves(cx.kernels, for_gate, up) ? for_gate : prepare(cx, x, up, cx.scratch + parts.gate);
  const auto combine = cx.kernels.glu[static_cast<size_t>(a.function)];
  const int64_t tokens = y.rows(), n = y.cols(), most = outputs_at_once(tokens);
  LowRankPass adapters(cx);
  for (const size_t part : {0, 1}) adapters.add(part, part + 1, x);
  adapters.guided(cx.pool, n, kOutputGrain, [&](int64_t begin, int64_t end, int thread) {
    auto* block = reinterpret_cast<float*>(cx.scratch + parts.gate + parts.up + thread * parts.block);
    for (int64_t from = begin; from < end; from += most) {
      const int64_t width = std::min(most, end - from);
      float* out = y.as<float>() + from;
      multiply(cx.kernels, gate, for_gate, tokens, from, from + width, out, y.row_step());
      adapters.up(0, from, from + width, out, y.row_step());
      multiply(cx.kernels, up, for_up, tokens, from, from + width, block, width);
      adapters.up(1, from, from + width, block, width);
      for (int64_t t = 0; t < tokens; ++t) combine(out + t * y.row_step(), block + t * width, out + t * y.row_step(), width);
    }
  });
}

}  // namespace

extern const CpuOp cpu_glu_linear;
const CpuOp cpu_glu_linear = implement<Activate, run, plan>(op_glu_linear);

}  // namespace skald
