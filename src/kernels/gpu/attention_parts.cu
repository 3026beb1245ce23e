// Attention of few rows: the keys of a row are cut into parts, each of which a block has; the last block of a row and KV
// head joins them. The heads of a KV head share each read of its keys. Bound: the bytes of keys and values.
// SASS of attention_parts: HMMA.16816.F32, LDSM.16.MT88.4.
// SASS of HalvesQ8_0, HalvesQ4_0: LDG.E.NA.LTC128B.64.
#include "kernels/gpu/attention_parts_kernel.inl"
#include "kernels/gpu/kernel_table.h"

namespace skald::gpu {

template <>
void fill_attention_parts<simt::Target>(GpuKernels& kernels) {
  for_each_attention(
      [&]<class Cache, int D>() { kernels.attention_parts[Cache::kId][width_index(D)] = launch_parts<Cache, D, Usual<D>>; });
}

}  // namespace skald::gpu
