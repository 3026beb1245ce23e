// What the host's half of simt calls: functions of the block that runs. Compiled apart from kernels, without the thread
// sanitizer: what threads tell each other through a collective is no race.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/gpu/simt_types.h"

namespace skald::simt::host {

int thread();
int threads();
Grid block_at();
Grid grid();

void wait_for_previous();
void sync_block();
void sync_warp();
/// `n` bytes, at most 64, of each lane for those of lane `from`.
void exchange(const void* in, void* out, size_t n, int from);
uint32_t votes(bool p);
bool last_block(int* counter, int blocks);
void mma_f16(float* c, const uint32_t* a, const uint32_t* b);
void mma_bf16(float* c, const uint32_t* a, const uint32_t* b);
void mma_s8(int* c, const uint32_t* a, const uint32_t* b);
void mma_s8_short(int* c, const uint32_t* a, uint32_t b);
void load_matrix(uint32_t* r, const Words4& row, bool transposed);

void* shared_memory(int64_t bytes);
/// Ends the program where the address is not aligned; not of weights.
void check_aligned(const void* p, size_t n);
void check_weights(const void* p, size_t n);

/// 16 bytes to shared memory.
struct Copy {
  void* to;
  const void* from;
  bool in_range;
};
struct Copies {
  const Copy* first;
  size_t n;
};
void check_copy(const Copy& copy);
/// False: it is to be done at once.
bool copies_later(const Copy& copy);
void copy_commit();
Copies due_copies(int pending);
/// In the kernel's own file, so that sanitizers see it.
[[gnu::always_inline]] inline void copy_now(const Copy& copy) {
  *static_cast<Words4*>(copy.to) = copy.in_range ? *static_cast<const Words4*>(copy.from) : Words4{};
}

using Body = void (*)(const void* args);
void push(Stream stream, const Shape& shape, Body body, const void* args, size_t bytes);

}  // namespace skald::simt::host
