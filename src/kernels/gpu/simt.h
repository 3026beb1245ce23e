// simt: the words that GPU kernels are written in. nvcc compiles a kernel file (.cu) for the device; g++ compiles the same
// lines for the host, where a block's threads are fibers (host/machine.h), so that tests, sanitizers and coverage see them.
//
// Rules: blocks are one-dimensional and of whole warps; all 32 lanes of a warp, or all threads of a block, meet at each
// collective; shared memory is one struct, shared<T>(); a kernel takes one plain struct, with pointers to device memory.
// Rows that are not there are left by whole blocks, before any barrier.
#pragma once

#include "kernels/gpu/simt_types.h"
#if defined(__CUDACC__)
#include "kernels/gpu/simt_cuda.h"
#else
#include "kernels/gpu/simt_host.h"
#endif

namespace skald::simt {

/// Sums over the warp's lanes, in one order on every device.
SIMT_DEV float warp_sum(float v) {
  for (int step = 16; step; step >>= 1) v += shuffle_xor(v, step);
  return v;
}
SIMT_DEV float warp_max(float v) {
  for (int step = 16; step; step >>= 1) v = largest(v, shuffle_xor(v, step));
  return v;
}
inline constexpr float kLog2E = 1.44269504f;  // exponential(x) is power_of_2(kLog2E * x)
SIMT_DEV float infinity() { return as_float(0x7f800000); }
SIMT_DEV int warp() { return thread() / kWarp; }
SIMT_DEV int lane() { return thread() % kWarp; }

}  // namespace skald::simt
