#include "kernels/gpu/host/words.h"

#include <cstring>

#include "kernels/gpu/host/block.h"
#include "quant/bf16/block.h"
#include "quant/f16/block.h"

namespace skald::simt::host {
namespace {

Block& block() { return Block::current(); }
int lane() { return block().thread() % kWarp; }

// The maps of fragments are those of the PTX manual, "Matrix Fragments for mma.m16n8k16" and "for mma.m16n8k32": lane l is
// 4 g + t. A register of A holds columns of row g or g + 8; one of B rows of column g; c[e] is (row g + e / 2 * 8, column
// 2 t + e % 2).
struct MmaIn {
  uint32_t a[4], b[2], c[4];
};
static_assert(sizeof(MmaIn) <= Block::kSlotBytes);

MmaIn in_of(const Block::Slots& slots, int lane) {
  MmaIn in;
  __builtin_memcpy(&in, slots.in[lane], sizeof in);
  return in;
}

template <class T, int kDepth>
struct Operands {
  T a[16][kDepth], b[kDepth][8], c[16][8];
};

template <class T, int kDepth>
void multiply(Operands<T, kDepth>& m) {
  for (int r = 0; r < 16; ++r)
    for (int k = 0; k < kDepth; ++k)
      for (int n = 0; n < 8; ++n) m.c[r][n] += m.a[r][k] * m.b[k][n];
}

template <class M>
void load_sums(M& m, const MmaIn& in, int l) {
  for (int e = 0; e < 4; ++e) __builtin_memcpy(&m.c[l / 4 + e / 2 * 8][l % 4 * 2 + e % 2], &in.c[e], 4);
}

template <class M>
void store_sums(const M& m, Block::Slots& slots) {
  for (int l = 0; l < kWarp; ++l)
    for (int e = 0; e < 4; ++e) __builtin_memcpy(slots.out[l] + 4 * e, &m.c[l / 4 + e / 2 * 8][l % 4 * 2 + e % 2], 4);
}

// Register i of A: columns 2 t + i / 2 * 8 and the next; of B: rows 2 t + 8 i and the next.
template <float (*kWide)(uint16_t)>
void mma_halves(Block::Slots& slots) {
  Operands<float, 16> m;
  for (int l = 0; l < kWarp; ++l) {
    const MmaIn in = in_of(slots, l);
    const int g = l / 4, t = l % 4;
    for (int i = 0; i < 4; ++i)
      for (int half = 0; half < 2; ++half)
        m.a[g + i % 2 * 8][2 * t + i / 2 * 8 + half] = kWide(static_cast<uint16_t>(in.a[i] >> 16 * half));
    for (int i = 0; i < 2; ++i)
      for (int half = 0; half < 2; ++half) m.b[2 * t + 8 * i + half][g] = kWide(static_cast<uint16_t>(in.b[i] >> 16 * half));
    load_sums(m, in, l);
  }
  multiply(m);
  store_sums(m, slots);
}

// Register i of A: columns 4 t + i / 2 * 16 to the third after it; of B: rows 4 t + 16 i likewise.
void mma_bytes(Block::Slots& slots) {
  Operands<int32_t, 32> m;
  for (int l = 0; l < kWarp; ++l) {
    const MmaIn in = in_of(slots, l);
    const int g = l / 4, t = l % 4;
    for (int i = 0; i < 4; ++i)
      for (int byte = 0; byte < 4; ++byte)
        m.a[g + i % 2 * 8][4 * t + i / 2 * 16 + byte] = static_cast<int8_t>(in.a[i] >> 8 * byte);
    for (int i = 0; i < 2; ++i)
      for (int byte = 0; byte < 4; ++byte) m.b[4 * t + 16 * i + byte][g] = static_cast<int8_t>(in.b[i] >> 8 * byte);
    load_sums(m, in, l);
  }
  multiply(m);
  store_sums(m, slots);
}

void mma(Wait kind, void* c, const uint32_t* a, const uint32_t* b, void (*all)(Block::Slots&)) {
  MmaIn in;
  __builtin_memcpy(in.a, a, sizeof in.a);
  __builtin_memcpy(in.b, b, sizeof in.b);
  __builtin_memcpy(in.c, c, sizeof in.c);
  const Block::Slots& slots = block().meet(kind, &in, sizeof in, all);
  __builtin_memcpy(c, slots.out[lane()], Block::kResultBytes);
}

void vote(Block::Slots& slots) {
  uint32_t bits = 0;
  for (int l = 0; l < kWarp; ++l) bits |= (slots.in[l][0] != std::byte{0} ? 1U : 0U) << l;
  for (int l = 0; l < kWarp; ++l) __builtin_memcpy(slots.out[l], &bits, sizeof bits);
}

}  // namespace

int thread() { return block().thread(); }
int threads() { return block().threads(); }
Grid block_at() { return block().at(); }
Grid grid() { return block().grid(); }
void wait_for_previous() { block().wait_for_previous(); }
void sync_block() { block().sync_block(); }
void sync_warp() { block().sync_warp(); }
bool last_block(int* counter, int blocks) { return block().last_block(counter, blocks); }
void* shared_memory(int64_t bytes) { return block().shared_memory(bytes); }

void exchange(const void* in, void* out, size_t n, int from) {
  const Block::Slots& slots = block().meet(Wait::kShuffle, in, n);
  const auto* there = slots.in[from < 0 ? from + kWarp : from];
  if (n == 4)
    __builtin_memcpy(out, there, 4);
  else
    for (size_t i = 0; i < n; ++i) static_cast<volatile std::byte*>(out)[i] = there[i];
}

uint32_t votes(bool p) {
  const Block::Slots& slots = block().meet(Wait::kVotes, &p, 1, vote);
  uint32_t bits;
  __builtin_memcpy(&bits, slots.out[lane()], sizeof bits);
  return bits;
}

void mma_f16(float* c, const uint32_t* a, const uint32_t* b) { mma(Wait::kMmaF16, c, a, b, mma_halves<f16_to_f32>); }
void mma_bf16(float* c, const uint32_t* a, const uint32_t* b) { mma(Wait::kMmaBf16, c, a, b, mma_halves<bf16_to_f32>); }
void mma_s8(int* c, const uint32_t* a, const uint32_t* b) { mma(Wait::kMmaS8, c, a, b, mma_bytes); }
// Its registers are the first half of those of the longer one.
void mma_s8_short(int* c, const uint32_t* a, uint32_t b) {
  const uint32_t all_a[4] = {a[0], a[1]}, all_b[2] = {b};
  mma(Wait::kMmaS8Short, c, all_a, all_b, mma_bytes);
}

// Matrix m's row r is what lane 8 m + r brought; lane l gets word l % 4 of row l / 4, or, transposed, elements l / 4 of rows
// 2 (l % 4) and the next.
void load_matrix(uint32_t* r, const Words4& row, bool transposed) {
  const Block::Slots& slots = block().meet(Wait::kLoadMatrix, &row, sizeof row);
  const int l = lane();
  for (int m = 0; m < 4; ++m) {
    if (!transposed) {
      __builtin_memcpy(&r[m], slots.in[m * 8 + l / 4] + l % 4 * 4, 4);
      continue;
    }
    uint16_t low, high;
    __builtin_memcpy(&low, slots.in[m * 8 + l % 4 * 2] + l / 4 * 2, 2);
    __builtin_memcpy(&high, slots.in[m * 8 + l % 4 * 2 + 1] + l / 4 * 2, 2);
    r[m] = low | static_cast<uint32_t>(high) << 16;
  }
}

void check_aligned(const void* p, size_t n) {
  if (reinterpret_cast<uintptr_t>(p) % n) block().die("an address is not aligned");
}
void check_weights(const void* p, size_t n) {
  check_aligned(p, n);
  if (!block().machine().holds_weights(p, n)) block().die("load_stream of memory that is not weights");
}
void check_copy(const Copy& copy) {
  check_aligned(copy.to, 16);
  check_aligned(copy.from, 16);
}
bool copies_later(const Copy& copy) { return block().copies_later(copy); }
void copy_commit() { block().copy_commit(); }
Copies due_copies(int pending) { return block().due_copies(pending); }

}  // namespace skald::simt::host
