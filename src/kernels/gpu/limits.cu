// Measures of a device's limits: bytes that are read as weights are, and products of the matrix units. Bound: those.
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/limits.h"
#include "kernels/gpu/rows.inl"

namespace skald::gpu {
namespace {

constexpr int kLoads = 4;  // on their way at once, of a thread

SIMT_DEV uint32_t folded(const simt::Words4& v) { return v.w[0] ^ v.w[1] ^ v.w[2] ^ v.w[3]; }

// Each thread gives the exclusive or of the words that it read.
SIMT_KERNEL void read_bytes(ReadBytesArgs a) {
  const int64_t threads = int64_t{simt::blocks_x()} * kLimitThreads;
  uint32_t sum = 0;
  int64_t i = int64_t{simt::block_x()} * kLimitThreads + simt::thread();
  const int64_t me = i;
  for (; i + (kLoads - 1) * threads < a.pieces; i += kLoads * threads) {
    simt::Words4 v[kLoads];
#pragma unroll
    for (int j = 0; j < kLoads; ++j) v[j] = simt::load_stream(a.data + (i + j * threads) * 16);
#pragma unroll
    for (int j = 0; j < kLoads; ++j) sum ^= folded(v[j]);
  }
  for (; i < a.pieces; i += threads) sum ^= folded(simt::load_stream(a.data + i * 16));
  a.out[me] = sum;
}

void launch_read_bytes(simt::Stream stream, const ReadBytesArgs& a, int64_t blocks) {
  simt::launch<read_bytes>(stream, {{static_cast<unsigned>(blocks)}, kLimitThreads}, a);
}

SIMT_DEV void multiply(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) { simt::mma_f16(c, a, b); }
SIMT_DEV void multiply(int (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) { simt::mma_s8(c, a, b); }

// Products of fragments that are full of one word. Each thread gives the sum of its numbers.
template <class Number>
SIMT_KERNEL void multiply_fragments(MultiplyArgs a) {
  const uint32_t left[4] = {a.word, a.word, a.word, a.word}, right[2] = {a.word, a.word};
  Number c[kLimitProducts][4] = {};
  for (int64_t step = 0; step < a.steps; ++step) {
#pragma unroll
    for (int i = 0; i < kLimitProducts; ++i) multiply(c[i], left, right);
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kLimitProducts; ++i) sum += static_cast<float>(c[i][0] + c[i][1] + c[i][2] + c[i][3]);
  a.out[int64_t{simt::block_x()} * kLimitThreads + simt::thread()] = sum;
}

template <class Number>
void launch_multiply(simt::Stream stream, const MultiplyArgs& a, int64_t blocks) {
  simt::launch<multiply_fragments<Number>>(stream, {{static_cast<unsigned>(blocks)}, kLimitThreads}, a);
}

}  // namespace

template <>
void fill_limits<simt::Target>(GpuKernels& kernels) {
  kernels.read_bytes = launch_read_bytes;
  kernels.multiply_halves = launch_multiply<float>;
  kernels.multiply_codes = launch_multiply<int>;
}

}  // namespace skald::gpu
