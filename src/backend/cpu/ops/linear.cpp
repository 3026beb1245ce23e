#include "graph/ops/linear.h"

#include <algorithm>

#include "backend/cpu/ops/rowwise.h"
#include "base/checked.h"
#include "base/error.h"
#include "kernels/api/act_q8.h"

namespace skald {
namespace {

constexpr int64_t kTokenBlock = 64;  // tokens whose activations stay in the cache while the weight rows pass
constexpr int64_t kRowGrain = 16;    // a chunk's output rows begin and end on cache lines

// Bytes of one row of activations as the kernel wants them.
int64_t act_bytes(ActFormat act, int64_t k) {
  switch (act) {
    case ActFormat::kF32:
      return k * static_cast<int64_t>(sizeof(float));
    case ActFormat::kBf16:
      return round_up(k, 32) * 2;
    case ActFormat::kQ8:
      return act_q8_bytes(k);
  }
  return 0;
}

int64_t plan(const Linear&, const CpuPlanArgs& args) {
  const ValueDesc &x = args.in[0], &w = args.in[1];
  if (!args.kernels.matmul[w.format->id]) fail(Errc::kUnsupported, "no matmul kernel for {} weights", w.format->name);
  const ActFormat act = args.kernels.act[w.format->id];
  return act == ActFormat::kF32 ? 0 : x.shape[0] * act_bytes(act, x.shape[1]);
}

// The activations in the kernel's format: in place for floats, else converted into the scratch.
const std::byte* convert(CpuContext& cx, const TensorView& x, ActFormat act) {
  if (act == ActFormat::kF32) return x.data;
  const auto to = act == ActFormat::kQ8 ? cx.kernels.quantize_q8 : cx.kernels.to_bf16;
  const int64_t stride = act_bytes(act, x.cols());
  for_rows(cx, x.rows(), x.cols(), [&](int64_t r) { to(x.row(r), cx.scratch + r * stride, x.cols()); });
  return cx.scratch;
}

void run(CpuContext& cx, const Linear&, const OpArgs& io) {
  const TensorView &x = io.in[0], &w = io.in[1];
  const uint32_t format = w.desc.format->id;
  const ActFormat act = cx.kernels.act[format];
  const std::byte* activations = convert(cx, x, act);
  const int64_t stride = act_bytes(act, x.cols()), n = io.out.cols();
  cx.pool.guided(n, kRowGrain, [&](int64_t begin, int64_t end, int) {
    for (int64_t t = 0; t < x.rows(); t += kTokenBlock)
      cx.kernels.matmul[format]({.w = w.row_bytes(begin),
                                 .w_stride = w.desc.row_bytes(),
                                 .x = activations + t * stride,
                                 .x_stride = stride,
                                 .y = io.out.row(t) + begin,
                                 .y_stride = n,
                                 .n = end - begin,
                                 .m = std::min(kTokenBlock, x.rows() - t),
                                 .k = x.cols()});
  });
}

}  // namespace

extern const CpuOp cpu_linear;
const CpuOp cpu_linear = implement<Linear, run, plan>(op_linear);

}  // namespace skald
