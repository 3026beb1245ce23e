#include "graph/ops/elementwise.h"

#include "backend/gpu/unary.h"

namespace skald {

using namespace gpu;

static void run_scale(const GpuContext& cx, const ScaleBy& a, const GpuOpArgs& io) {
  launch_unary(cx, cx.kernels.scale, io, {a.factor});
}
static void run_clamp(const GpuContext& cx, const Clamp& a, const GpuOpArgs& io) {
  launch_unary(cx, cx.kernels.clamp, io, {a.limit});
}
static void run_softcap(const GpuContext& cx, const Softcap& a, const GpuOpArgs& io) {
  launch_unary(cx, cx.kernels.softcap, io, {a.cap});
}
static void run_rsqrt(const GpuContext& cx, const Rsqrt& a, const GpuOpArgs& io) {
  launch_unary(cx, cx.kernels.rsqrt, io, {a.eps});
}
static void run_sigmoid(const GpuContext& cx, const NoAttrs&, const GpuOpArgs& io) {
  launch_unary(cx, cx.kernels.sigmoid, io);
}
static void run_softplus(const GpuContext& cx, const NoAttrs&, const GpuOpArgs& io) {
  launch_unary(cx, cx.kernels.softplus, io);
}

extern const GpuOp gpu_scale, gpu_clamp, gpu_softcap, gpu_rsqrt, gpu_sigmoid, gpu_softplus;
const GpuOp gpu_scale = implement_on_gpu<ScaleBy, run_scale>(op_scale);
const GpuOp gpu_clamp = implement_on_gpu<Clamp, run_clamp>(op_clamp);
const GpuOp gpu_softcap = implement_on_gpu<Softcap, run_softcap>(op_softcap);
const GpuOp gpu_rsqrt = implement_on_gpu<Rsqrt, run_rsqrt>(op_rsqrt);
const GpuOp gpu_sigmoid = implement_on_gpu<NoAttrs, run_sigmoid>(op_sigmoid);
const GpuOp gpu_softplus = implement_on_gpu<NoAttrs, run_softplus>(op_softplus);

}  // namespace skald
