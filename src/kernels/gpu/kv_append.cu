// Stores a step's keys and values at their positions. Bound: their bytes.
#include "kernels/gpu/cache.inl"
#include "kernels/gpu/kernel_table.h"

namespace skald::gpu {
namespace {

constexpr int kThreads = 128;

// A block per row.
SIMT_KERNEL void kv_append(KvAppendArgs a) {
  const int row = simt::block_x();
  simt::wait_for_previous();
  if (!has_row(a.rows, row)) return;
  const SequenceKv& kv = a.step.kv[a.step.sequences[row]];
  const int64_t slot = a.step.positions[row] - kv.shift;
  const float* k = a.k.data + row * a.k.step;
  for (int64_t i = simt::thread(); i < a.heads * a.d_k; i += kThreads)
    store_cached(key_of(kv, i / a.d_k, slot), i % a.d_k, k[i]);
  if (!a.v.data) return;
  const float* v = a.v.data + row * a.v.step;
  for (int64_t i = simt::thread(); i < a.heads * a.d_v; i += kThreads)
    store_cached(value_of(kv, i / a.d_v, slot), i % a.d_v, v[i]);
}

void launch_kv_append(simt::Stream stream, const KvAppendArgs& a, int64_t rows) {
  simt::launch<kv_append>(stream, {{static_cast<unsigned>(rows)}, kThreads}, a);
}

}  // namespace

template <>
void fill_kv_append<simt::Target>(GpuKernels& kernels) {
  kernels.kv_append = launch_kv_append;
}

}  // namespace skald::gpu
