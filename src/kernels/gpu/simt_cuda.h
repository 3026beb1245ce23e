// The device's half of simt: what the words are in CUDA and PTX. See simt_host.h for the same words on the host.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "kernels/gpu/simt_types.h"

#define SIMT_DEV __device__ __forceinline__
#define SIMT_KERNEL __global__
#define SIMT_BOUNDS(threads, blocks) __launch_bounds__(threads, blocks)

namespace skald::simt {

/// The device that this half compiles for: see GpuKernels.
using Target = CudaTarget;

SIMT_DEV int thread() { return static_cast<int>(threadIdx.x); }
SIMT_DEV int threads() { return static_cast<int>(blockDim.x); }
SIMT_DEV int block_x() { return static_cast<int>(blockIdx.x); }
SIMT_DEV int block_y() { return static_cast<int>(blockIdx.y); }
SIMT_DEV int block_z() { return static_cast<int>(blockIdx.z); }
SIMT_DEV int blocks_x() { return static_cast<int>(gridDim.x); }

SIMT_DEV void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
SIMT_DEV void let_next_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

SIMT_DEV void sync_block() { __syncthreads(); }
SIMT_DEV void sync_warp() { __syncwarp(); }
template <class T>
SIMT_DEV T shuffle(T v, int from) {
  return __shfl_sync(~0u, v, from);
}
template <class T>
SIMT_DEV T shuffle_xor(T v, int mask) {
  return __shfl_xor_sync(~0u, v, mask);
}
SIMT_DEV uint32_t votes(bool p) { return __ballot_sync(~0u, p); }
SIMT_DEV void atomic_add(float* p, float v) { atomicAdd(p, v); }
SIMT_DEV int atomic_add(int* p, int v) { return atomicAdd(p, v); }
SIMT_DEV bool last_block(int* counter, int blocks) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(counter, 1) == blocks - 1;
    if (last) *counter = 0;
  }
  __syncthreads();
  if (last) __threadfence();
  return last;
}

template <class T>
SIMT_DEV T& shared() {
  extern __shared__ __align__(128) unsigned char simt_shared_bytes[];
  return *reinterpret_cast<T*>(simt_shared_bytes);
}

SIMT_DEV float to_float(F16 h) { return __half2float(__ushort_as_half(h.bits)); }
SIMT_DEV float to_float(Bf16 h) { return __uint_as_float(static_cast<uint32_t>(h.bits) << 16); }
SIMT_DEV F16 to_f16(float x) { return {__half_as_ushort(__float2half_rn(x))}; }
SIMT_DEV Bf16 to_bf16(float x) { return {__bfloat16_as_ushort(__float2bfloat16_rn(x))}; }
SIMT_DEV Float2 halves(uint32_t w) {
  const float2 f = __half22float2(*reinterpret_cast<const __half2*>(&w));
  return {f.x, f.y};
}
SIMT_DEV uint32_t pack_f16(float low, float high) {
  const __half2 h = __floats2half2_rn(low, high);
  return *reinterpret_cast<const uint32_t*>(&h);
}
SIMT_DEV uint32_t sub_halves(uint32_t a, uint32_t b) {
  const __half2 d = __hsub2(*reinterpret_cast<const __half2*>(&a), *reinterpret_cast<const __half2*>(&b));
  return *reinterpret_cast<const uint32_t*>(&d);
}
SIMT_DEV int dot4(uint32_t a, uint32_t b, int c) { return __dp4a(static_cast<int>(a), static_cast<int>(b), c); }
SIMT_DEV uint32_t permute(uint32_t a, uint32_t b, uint32_t selector) { return __byte_perm(a, b, selector); }
SIMT_DEV int count_bits(uint32_t x) { return __popc(x); }
SIMT_DEV int round_int(float x) { return __float2int_rn(x); }
SIMT_DEV float as_float(uint32_t bits) { return __uint_as_float(bits); }
SIMT_DEV uint32_t as_bits(float x) { return __float_as_uint(x); }
SIMT_DEV float fma1(float a, float b, float c) { return __fmaf_rn(a, b, c); }
SIMT_DEV double fma1(double a, double b, double c) { return __fma_rn(a, b, c); }
SIMT_DEV float power_of_2(float x) { return exp2f(x); }
SIMT_DEV float exponential(float x) { return expf(x); }
SIMT_DEV float exponential_minus_1(float x) { return expm1f(x); }
SIMT_DEV float natural_log(float x) { return logf(x); }
SIMT_DEV float log_plus_1(float x) { return log1pf(x); }
SIMT_DEV float inv_sqrt(float x) { return rsqrtf(x); }
SIMT_DEV float hyperbolic_tangent(float x) { return tanhf(x); }
SIMT_DEV float error_function(float x) { return erff(x); }
SIMT_DEV float largest(float a, float b) { return fmaxf(a, b); }
SIMT_DEV float magnitude(float x) { return fabsf(x); }

SIMT_DEV Words4 load_stream(const void* p) {
  Words4 v;
  asm("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0,%1,%2,%3}, [%4];"
      : "=r"(v.w[0]), "=r"(v.w[1]), "=r"(v.w[2]), "=r"(v.w[3])
      : "l"(p));
  return v;
}
SIMT_DEV Words2 load_stream8(const void* p) {
  Words2 v;
  asm("ld.global.nc.L1::no_allocate.v2.u32 {%0,%1}, [%2];" : "=r"(v.w[0]), "=r"(v.w[1]) : "l"(p));
  return v;
}
SIMT_DEV uint32_t load_stream4(const void* p) {
  uint32_t v;
  asm("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(v) : "l"(p));
  return v;
}
SIMT_DEV Words4 load_once16(const void* p) {
  Words4 v;
  asm volatile("ld.global.L1::no_allocate.L2::128B.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(v.w[0]), "=r"(v.w[1]), "=r"(v.w[2]), "=r"(v.w[3])
               : "l"(p)
               : "memory");
  return v;
}
SIMT_DEV Words2 load_once8(const void* p) {
  Words2 v;
  asm volatile("ld.global.L1::no_allocate.L2::128B.v2.u32 {%0,%1}, [%2];" : "=r"(v.w[0]), "=r"(v.w[1]) : "l"(p) : "memory");
  return v;
}
SIMT_DEV Words4 load16(const void* p) { return *static_cast<const Words4*>(p); }
SIMT_DEV Words2 load8(const void* p) { return *static_cast<const Words2*>(p); }

SIMT_DEV void copy_async16(void* to, const void* from, bool in_range = true) {
  const auto at = static_cast<uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(in_range ? 16 : 0) : "memory");
}
SIMT_DEV void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kPending>
SIMT_DEV void copy_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

SIMT_DEV void mma_f16(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
SIMT_DEV void mma_bf16(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
SIMT_DEV void mma_s8(int (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
SIMT_DEV void mma_s8(int (&c)[4], const uint32_t (&a)[2], uint32_t b) {
  asm("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(b));
}
SIMT_DEV void load_matrix4(uint32_t (&r)[4], const void* row) {
  const auto at = static_cast<uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(at)
               : "memory");
}
SIMT_DEV void load_matrix4_t(uint32_t (&r)[4], const void* row) {
  const auto at = static_cast<uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(at)
               : "memory");
}

/// Whether the card of this thread begins launches before those before them have ended.
inline bool starts_early() {
  int card = 0, major = 0;
  cudaGetDevice(&card);
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, card);
  return major >= 9;
}

/// An error of the launch is what cudaGetLastError() gives.
template <auto kKernel, class Args>
void launch(Stream stream, const Shape& shape, const Args& args) {
  static_assert(sizeof(Args) <= kMaxArgBytes);
  if (shape.shared_bytes > 48 * 1024)
    cudaFuncSetAttribute(reinterpret_cast<const void*>(kKernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                         static_cast<int>(shape.shared_bytes));
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(shape.grid.x, shape.grid.y, shape.grid.z);
  config.blockDim = dim3(static_cast<unsigned>(shape.threads));
  config.dynamicSmemBytes = static_cast<size_t>(shape.shared_bytes);
  config.stream = static_cast<cudaStream_t>(stream.queue);
  config.attrs = &early;
  config.numAttrs = shape.early && stream.early && starts_early() ? 1 : 0;
  cudaLaunchKernelEx(&config, kKernel, args);
}

}  // namespace skald::simt
