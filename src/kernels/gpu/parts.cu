// Means and softmaxes of the parts of rows. Bound: the bytes of the rows.
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/rows.inl"

namespace skald::gpu {
namespace {

constexpr float kLeast = -1e30f;

// A warp per part of a row.
SIMT_KERNEL void mean(PartsArgs a) {
  const int64_t row = simt::block_y(), part = simt::block_x();
  if (!begin_row(a.rows, row)) return;
  const float* x = a.x.data + row * a.x.step + part * a.n;
  float sum = 0;
  for (int64_t i = simt::lane(); i < a.n; i += simt::kWarp) sum += x[i];
  sum = simt::warp_sum(sum);
  if (simt::lane() == 0) a.out.data[row * a.out.step + part] = sum / static_cast<float>(a.n);
}

void launch_mean(simt::Stream stream, const PartsArgs& a, int64_t rows) {
  launch_early<mean>(stream, warp_per_part(a.parts, rows), a);
}

// A warp per part of a row. May write over x: a lane reads what it writes.
SIMT_KERNEL void softmax(PartsArgs a) {
  const int64_t row = simt::block_y(), part = simt::block_x();
  if (!begin_row(a.rows, row)) return;
  const float* x = a.x.data + row * a.x.step + part * a.n;
  float* out = a.out.data + row * a.out.step + part * a.n;
  float top = a.sinks ? a.sinks[part] : kLeast, sum = 0;
  for (int64_t i = simt::lane(); i < a.n; i += simt::kWarp) top = simt::largest(x[i], top);
  top = simt::warp_max(top);
  for (int64_t i = simt::lane(); i < a.n; i += simt::kWarp) {
    out[i] = simt::exponential(x[i] - top);
    sum += out[i];
  }
  sum = simt::warp_sum(sum);
  if (a.sinks) sum += simt::exponential(a.sinks[part] - top);
  const float factor = 1 / sum;
  for (int64_t i = simt::lane(); i < a.n; i += simt::kWarp) out[i] *= factor;
}

void launch_softmax(simt::Stream stream, const PartsArgs& a, int64_t rows) {
  launch_early<softmax>(stream, warp_per_part(a.parts, rows), a);
}

}  // namespace

template <>
void fill_parts<simt::Target>(GpuKernels& kernels) {
  kernels.mean = launch_mean;
  kernels.softmax = launch_softmax;
}

}  // namespace skald::gpu
