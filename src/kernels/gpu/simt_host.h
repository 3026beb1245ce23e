// The host's half of simt: what the words mean. Threads of a block are fibers of one thread of the system; barriers and warp
// collectives switch between them.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "kernels/gpu/host/words.h"
#include "kernels/gpu/simt_types.h"
#include "quant/bf16/block.h"
#include "quant/f16/block.h"

// Never a copy of its own: files that know other flags define the same words.
#define SIMT_DEV [[gnu::always_inline]] inline
#define SIMT_KERNEL
#define SIMT_BOUNDS(threads, blocks)

namespace skald::simt {

/// The device that this half compiles for: see GpuKernels.
using Target = HostTarget;

SIMT_DEV int thread() { return host::thread(); }
SIMT_DEV int threads() { return host::threads(); }
SIMT_DEV int block_x() { return static_cast<int>(host::block_at().x); }
SIMT_DEV int block_y() { return static_cast<int>(host::block_at().y); }
SIMT_DEV int block_z() { return static_cast<int>(host::block_at().z); }
SIMT_DEV int blocks_x() { return static_cast<int>(host::grid().x); }

/// Before it, a kernel that is launched early may read weights alone: what launches before it write is not there yet.
SIMT_DEV void wait_for_previous() { host::wait_for_previous(); }
SIMT_DEV void let_next_begin() {}

/// A barrier for all threads of the block; of the warp. What they wrote before it, all see after it.
SIMT_DEV void sync_block() { host::sync_block(); }
SIMT_DEV void sync_warp() { host::sync_warp(); }
/// The value of another lane. By all lanes of the warp, as `votes`; orders no memory.
template <class T>
SIMT_DEV T shuffle(T v, int from) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
  T out;
  host::exchange(&v, &out, sizeof v, from % kWarp);
  return out;
}
template <class T>
SIMT_DEV T shuffle_xor(T v, int mask) {
  return shuffle(v, host::thread() % kWarp ^ mask);
}
/// Bit l: lane l's p.
SIMT_DEV uint32_t votes(bool p) { return host::votes(p); }
SIMT_DEV void atomic_add(float* p, float v) {
  auto* bits = reinterpret_cast<uint32_t*>(p);
  uint32_t old = __atomic_load_n(bits, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(bits, &old, std::bit_cast<uint32_t>(std::bit_cast<float>(old) + v), false,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}
/// Gives what was there before.
SIMT_DEV int atomic_add(int* p, int v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
/// By all threads of a block: true in the last one of `blocks` that come here with this counter, which sees what the others
/// wrote. The counter is 0 before and after.
SIMT_DEV bool last_block(int* counter, int blocks) { return host::last_block(counter, blocks); }

/// The block's shared memory; sizeof(T) bytes of it at least are asked for at the launch.
template <class T>
SIMT_DEV T& shared() {
  static_assert(std::is_trivially_copyable_v<T>);
  return *static_cast<T*>(host::shared_memory(static_cast<int64_t>(sizeof(T))));
}

SIMT_DEV float to_float(F16 h) { return f16_to_f32(h.bits); }
SIMT_DEV float to_float(Bf16 h) { return bf16_to_f32(h.bits); }
SIMT_DEV F16 to_f16(float x) { return {f32_to_f16(x)}; }
SIMT_DEV Bf16 to_bf16(float x) { return {f32_to_bf16(x)}; }
/// Both f16 numbers of a word, and such a word.
SIMT_DEV Float2 halves(uint32_t w) {
  return {f16_to_f32(static_cast<uint16_t>(w)), f16_to_f32(static_cast<uint16_t>(w >> 16))};
}
SIMT_DEV uint32_t pack_f16(float low, float high) { return f32_to_f16(low) | static_cast<uint32_t>(f32_to_f16(high)) << 16; }
/// a - b of both halves.
SIMT_DEV uint32_t sub_halves(uint32_t a, uint32_t b) {
  const Float2 x = halves(a), y = halves(b);
  return pack_f16(x.x - y.x, x.y - y.y);
}
/// c plus the product of four signed bytes with four others.
SIMT_DEV int dot4(uint32_t a, uint32_t b, int c) {
  for (int i = 0; i < 32; i += 8) c += static_cast<int8_t>(a >> i) * static_cast<int8_t>(b >> i);
  return c;
}
/// Byte i of the result is byte (selector >> 4 i & 7) of b:a.
SIMT_DEV uint32_t permute(uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t both = static_cast<uint64_t>(b) << 32 | a;
  uint32_t out = 0;
  for (int i = 0; i < 4; ++i) out |= static_cast<uint32_t>(both >> (selector >> 4 * i & 7) * 8 & 255) << 8 * i;
  return out;
}
SIMT_DEV int count_bits(uint32_t x) { return std::popcount(x); }
/// To nearest, ties to even.
SIMT_DEV int round_int(float x) { return static_cast<int>(std::nearbyintf(x)); }
SIMT_DEV float as_float(uint32_t bits) { return std::bit_cast<float>(bits); }
SIMT_DEV uint32_t as_bits(float x) { return std::bit_cast<uint32_t>(x); }
/// Rounded once, whatever the compiler contracts elsewhere.
SIMT_DEV float fma1(float a, float b, float c) { return std::fma(a, b, c); }
SIMT_DEV double fma1(double a, double b, double c) { return std::fma(a, b, c); }
SIMT_DEV float power_of_2(float x) { return std::exp2(x); }
SIMT_DEV float exponential(float x) { return std::exp(x); }
SIMT_DEV float exponential_minus_1(float x) { return std::expm1(x); }
SIMT_DEV float natural_log(float x) { return std::log(x); }
SIMT_DEV float log_plus_1(float x) { return std::log1p(x); }
SIMT_DEV float inv_sqrt(float x) { return 1 / std::sqrt(x); }
SIMT_DEV float hyperbolic_tangent(float x) { return std::tanh(x); }
SIMT_DEV float error_function(float x) { return std::erf(x); }
/// The number where the other is none.
SIMT_DEV float largest(float a, float b) { return a != a || a < b ? b : a; }
SIMT_DEV float magnitude(float x) { return std::fabs(x); }

/// Of weights alone, which nothing writes while kernels run: may be asked for before wait_for_previous(). 16, 8, 4 aligned
/// bytes that are read once.
SIMT_DEV Words4 load_stream(const void* p) {
  host::check_weights(p, 16);
  return *static_cast<const Words4*>(p);
}
SIMT_DEV Words2 load_stream8(const void* p) {
  host::check_weights(p, 8);
  return *static_cast<const Words2*>(p);
}
SIMT_DEV uint32_t load_stream4(const void* p) {
  host::check_weights(p, 4);
  return *static_cast<const uint32_t*>(p);
}
/// Aligned bytes that launches before this one wrote: read again and again; read once.
SIMT_DEV Words4 load16(const void* p) {
  host::check_aligned(p, 16);
  return *static_cast<const Words4*>(p);
}
SIMT_DEV Words2 load8(const void* p) {
  host::check_aligned(p, 8);
  return *static_cast<const Words2*>(p);
}
SIMT_DEV Words4 load_once16(const void* p) { return load16(p); }
SIMT_DEV Words2 load_once8(const void* p) { return load8(p); }

/// Copies 16 aligned bytes to shared memory, or zeros, at some time until copy_wait<n>() leaves at most n of the thread's
/// committed groups pending.
SIMT_DEV void copy_async16(void* to, const void* from, bool in_range = true) {
  const host::Copy copy{to, from, in_range};
  host::check_copy(copy);
  if (!host::copies_later(copy)) host::copy_now(copy);
}
SIMT_DEV void copy_commit() { host::copy_commit(); }
template <int kPending>
SIMT_DEV void copy_wait() {
  const host::Copies due = host::due_copies(kPending);
  for (size_t i = 0; i < due.n; ++i) host::copy_now(due.first[i]);
}

/// c (16, 8) += a (16, 16) b (16, 8), spread over the warp as the manual of PTX says; mma_s8: of signed bytes, k = 32 or 16.
SIMT_DEV void mma_f16(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) { host::mma_f16(c, a, b); }
SIMT_DEV void mma_bf16(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) { host::mma_bf16(c, a, b); }
SIMT_DEV void mma_s8(int (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) { host::mma_s8(c, a, b); }
SIMT_DEV void mma_s8(int (&c)[4], const uint32_t (&a)[2], uint32_t b) { host::mma_s8_short(c, a, b); }
/// Four 8 x 8 matrices of 16 bits in shared memory; lane i gives the address of row i % 8 of matrix i / 8. `_t`: transposed.
SIMT_DEV void load_matrix4(uint32_t (&r)[4], const void* row) {
  host::check_aligned(row, 16);
  const Words4 mine = *static_cast<const Words4*>(row);
  host::load_matrix(r, mine, false);
}
SIMT_DEV void load_matrix4_t(uint32_t (&r)[4], const void* row) {
  host::check_aligned(row, 16);
  const Words4 mine = *static_cast<const Words4*>(row);
  host::load_matrix(r, mine, true);
}

/// Puts a launch at the stream's end. It runs when the backend waits for the stream.
template <auto kKernel, class Args>
void launch(Stream stream, const Shape& shape, const Args& args) {
  static_assert(std::is_trivially_copyable_v<Args> && sizeof(Args) <= kMaxArgBytes);
  host::push(
      stream, shape, [](const void* given) { kKernel(*static_cast<const Args*>(given)); }, &args, sizeof args);
}

}  // namespace skald::simt
