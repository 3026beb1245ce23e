// Norms over rows, or over the equal parts of rows (heads). Bound: the bytes of the rows.
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/rows.inl"

namespace skald::gpu {
namespace {

// A warp per part of a row. May write over x: a lane reads what it writes.
SIMT_KERNEL void rms_norm(RmsNormArgs a) {
  const int64_t row = simt::block_y(), part = simt::block_x();
  if (!begin_row(a.rows, row)) return;
  const float* x = a.x.data + row * a.x.step + part * a.n;
  float squares = 0;
  for (int64_t i = simt::lane(); i < a.n; i += simt::kWarp) squares = simt::fma1(x[i], x[i], squares);
  const float factor = simt::inv_sqrt(simt::warp_sum(squares) / static_cast<float>(a.n) + a.eps);
  const float* weight = a.weight + part * a.weight_step;
  float* out = a.out.data + row * a.out.step + part * a.n;
  for (int64_t i = simt::lane(); i < a.n; i += simt::kWarp) out[i] = x[i] * factor * weight[i];
}

void launch_rms_norm(simt::Stream stream, const RmsNormArgs& a, int64_t rows) {
  launch_early<rms_norm>(stream, warp_per_part(a.parts, rows), a);
}

// A warp per part of a row, likewise.
SIMT_KERNEL void layer_norm(LayerNormArgs a) {
  const int64_t row = simt::block_y(), part = simt::block_x();
  if (!begin_row(a.rows, row)) return;
  const float* x = a.x.data + row * a.x.step + part * a.n;
  const auto n = static_cast<float>(a.n);
  float sum = 0, squares = 0;
  for (int64_t i = simt::lane(); i < a.n; i += simt::kWarp) sum += x[i];
  const float mean = simt::warp_sum(sum) / n;
  for (int64_t i = simt::lane(); i < a.n; i += simt::kWarp) squares = simt::fma1(x[i] - mean, x[i] - mean, squares);
  const float factor = simt::inv_sqrt(simt::warp_sum(squares) / n + a.eps);
  const float *weight = a.weight + part * a.weight_step, *bias = a.bias ? a.bias + part * a.bias_step : nullptr;
  float* out = a.out.data + row * a.out.step + part * a.n;
  for (int64_t i = simt::lane(); i < a.n; i += simt::kWarp) {
    const float y = (x[i] - mean) * factor * weight[i];
    out[i] = bias ? y + bias[i] : y;
  }
}

void launch_layer_norm(simt::Stream stream, const LayerNormArgs& a, int64_t rows) {
  launch_early<layer_norm>(stream, warp_per_part(a.parts, rows), a);
}

}  // namespace

template <>
void fill_norms<simt::Target>(GpuKernels& kernels) {
  kernels.rms_norm = launch_rms_norm;
  kernels.layer_norm = launch_layer_norm;
}

}  // namespace skald::gpu
