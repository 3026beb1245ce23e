// Biases of attention by the distance of key and query. Bound: their bytes.
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/rows.inl"

namespace skald::gpu {
namespace {

constexpr int kThreads = 128;

// A thread per distance and head.
SIMT_KERNEL void distance_bias(DistanceBiasArgs a) {
  const int64_t head = simt::block_y(), i = int64_t{simt::block_x()} * kThreads + simt::thread();
  simt::wait_for_previous();
  simt::let_next_begin();
  if (i >= a.distances) return;
  a.out.data[head * a.out.step + i] = a.table.data[a.buckets[i] * a.table.step + head];
}

void launch_distance_bias(simt::Stream stream, const DistanceBiasArgs& a, int64_t) {
  launch_early<distance_bias>(stream, {{blocks_for(a.distances, kThreads), static_cast<unsigned>(a.heads)}, kThreads}, a);
}

}  // namespace

template <>
void fill_distance_bias<simt::Target>(GpuKernels& kernels) {
  kernels.distance_bias = launch_distance_bias;
}

}  // namespace skald::gpu
