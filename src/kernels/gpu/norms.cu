// Norms over rows, or over the equal parts of rows (heads). Bound: the bytes of the rows.
#include <algorithm>

#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/row_forms.inl"

namespace skald::gpu {
namespace {

constexpr int kMostWarps = 8;
constexpr int64_t kWarpColumns = 128;  // of a warp, where there are no more of them

SIMT_DEV int warps() { return simt::threads() / simt::kWarp; }

// Columns of a part by the warps of its block. Each warp has summed up the whole part, in one order.
template <class Y>
SIMT_DEV void put_row(float* out, int64_t n, const RowForms& forms, int64_t row, Y y) {
  const int64_t blocks = form_blocks(forms, n);
  for (int64_t block = simt::warp(); block < blocks; block += warps()) {
    const int64_t i = block * simt::kWarp + simt::lane();
    const float v = i < n ? y(i) : 0.0f;
    if (i < n) out[i] = v;
    put_forms(forms, row, block, v);
  }
}

// A block per part of a row.
simt::Shape shape_of(int64_t parts, int64_t n, int64_t rows) {
  const auto warps = static_cast<int>(std::min<int64_t>(blocks_for(n, kWarpColumns), kMostWarps));
  return {{static_cast<unsigned>(parts), static_cast<unsigned>(rows)}, warps * simt::kWarp};
}

SIMT_KERNEL void rms_norm(RmsNormArgs a) {
  const int64_t row = simt::block_y(), part = simt::block_x();
  if (!begin_row(a.rows, row)) return;
  const float* x = a.x.data + row * a.x.step + part * a.n;
  float squares = 0;
#pragma unroll 8
  for (int64_t i = simt::lane(); i < a.n; i += simt::kWarp) squares = simt::fma1(x[i], x[i], squares);
  const float factor = simt::inv_sqrt(simt::warp_sum(squares) / static_cast<float>(a.n) + a.eps);
  const float* weight = a.weight + part * a.weight_step;
  put_row(a.out.data + row * a.out.step + part * a.n, a.n, a.forms, row,
          [&](int64_t i) { return x[i] * factor * weight[i]; });
}

void launch_rms_norm(simt::Stream stream, const RmsNormArgs& a, int64_t rows) {
  launch_early<rms_norm>(stream, shape_of(a.parts, a.n, rows), a);
}

SIMT_KERNEL void layer_norm(LayerNormArgs a) {
  const int64_t row = simt::block_y(), part = simt::block_x();
  if (!begin_row(a.rows, row)) return;
  const float* x = a.x.data + row * a.x.step + part * a.n;
  const auto n = static_cast<float>(a.n);
  float sum = 0, squares = 0;
#pragma unroll 8
  for (int64_t i = simt::lane(); i < a.n; i += simt::kWarp) sum += x[i];
  const float mean = simt::warp_sum(sum) / n;
#pragma unroll 8
  for (int64_t i = simt::lane(); i < a.n; i += simt::kWarp) squares = simt::fma1(x[i] - mean, x[i] - mean, squares);
  const float factor = simt::inv_sqrt(simt::warp_sum(squares) / n + a.eps);
  const float *weight = a.weight + part * a.weight_step, *bias = a.bias ? a.bias + part * a.bias_step : nullptr;
  put_row(a.out.data + row * a.out.step + part * a.n, a.n, a.forms, row, [&](int64_t i) {
    const float y = (x[i] - mean) * factor * weight[i];
    return bias ? y + bias[i] : y;
  });
}

void launch_layer_norm(simt::Stream stream, const LayerNormArgs& a, int64_t rows) {
  launch_early<layer_norm>(stream, shape_of(a.parts, a.n, rows), a);
}

}  // namespace

template <>
void fill_norms<simt::Target>(GpuKernels& kernels) {
  kernels.rms_norm = launch_rms_norm;
  kernels.layer_norm = launch_layer_norm;
}

}  // namespace skald::gpu
