#include "graph/ops/elementwise.h"

#include <algorithm>
#include <cmath>

#include "backend/cpu/ops/rowwise.h"

namespace skald {
namespace {

void scale_rows(CpuContext& cx, const ScaleBy& a, const OpArgs& io) {
  const int64_t n = io.out.cols();
  for_rows(cx, io.out.rows(), n, [&](int64_t r) { cx.kernels.scale(a.factor, io.in[0].row(r), io.out.row(r), n); });
}

void softcap_rows(CpuContext& cx, const Softcap& a, const OpArgs& io) {
  const int64_t n = io.out.cols();
  for_rows(cx, io.out.rows(), n, [&](int64_t r) { cx.kernels.softcap(io.in[0].row(r), a.cap, io.out.row(r), n); });
}

// No number for an infinite one.
void clamp_values(CpuContext& cx, const Clamp& a, const OpArgs& io) {
  map_values(cx, io, [&](float x) { return std::clamp(x, -a.limit, a.limit) + x * 0.0f; });
}

// The others see few values: choices and weights of experts, gates of heads, steps of state spaces.
void rsqrt_values(CpuContext& cx, const Rsqrt& a, const OpArgs& io) {
  map_values(cx, io, [&](float x) { return 1.0f / std::sqrt(x + a.eps); });
}

void sigmoid_values(CpuContext& cx, const NoAttrs&, const OpArgs& io) {
  map_values(cx, io, [](float x) { return 1.0f / (1.0f + std::exp(-x)); });
}

void softplus_values(CpuContext& cx, const NoAttrs&, const OpArgs& io) {
  map_values(cx, io, [](float x) { return std::max(x, 0.0f) + std::log1p(std::exp(-std::abs(x))); });
}

}  // namespace

extern const CpuOp cpu_scale, cpu_softcap, cpu_clamp, cpu_rsqrt, cpu_sigmoid, cpu_softplus;
const CpuOp cpu_scale = implement<ScaleBy, scale_rows>(op_scale);
const CpuOp cpu_softcap = implement<Softcap, softcap_rows>(op_softcap);
const CpuOp cpu_clamp = implement<Clamp, clamp_values>(op_clamp);
const CpuOp cpu_rsqrt = implement<Rsqrt, rsqrt_values>(op_rsqrt);
const CpuOp cpu_sigmoid = implement<NoAttrs, sigmoid_values>(op_sigmoid);
const CpuOp cpu_softplus = implement<NoAttrs, softplus_values>(op_softplus);

}  // namespace skald
