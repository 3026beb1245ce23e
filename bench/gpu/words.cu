#include "bench/gpu/words.h"

#include "kernels/gpu/simt.h"

namespace skald::gpu {
namespace {

using namespace simt;  // NOLINT: a file of its words

struct Shared {
  alignas(16) uint32_t words[kWordThreads * kWordInputs];
};

SIMT_DEV float small(uint32_t w, int i) { return static_cast<float>(w >> 4 * i & 15) - 7; }  // whole numbers
SIMT_DEV float some(uint32_t w) { return (static_cast<float>(w & 0xffff) + 1) / 9000; }      // 0 to 7.3
SIMT_DEV uint32_t small_halves(uint32_t w) { return pack_f16(small(w, 0), small(w, 1)); }
SIMT_DEV uint32_t small_bf16s(uint32_t w) {
  return to_bf16(small(w, 0)).bits | static_cast<uint32_t>(to_bf16(small(w, 1)).bits) << 16;
}

// The words of a thread, and where it writes.
struct Given {
  const uint32_t* in;
  uint32_t* out;
  int* counter;
  SIMT_DEV void give(int i, uint32_t w) const { out[i] = w; }
  SIMT_DEV void give(int i, float x) const { out[i] = as_bits(x); }
};

struct Shuffle {
  SIMT_DEV static void run(const Given& g) {
    g.give(0, shuffle(g.in[0], static_cast<int>(g.in[1] % 32)));
    g.give(1, shuffle_xor(g.in[0], 5));
    g.give(2, warp_sum(small(g.in[0], 0)));
    g.give(3, warp_max(some(g.in[0])));
  }
};
struct Votes {
  SIMT_DEV static void run(const Given& g) { g.give(0, votes(g.in[0] & 1)); }
};
struct SharedMemory {
  SIMT_DEV static void run(const Given& g) {
    Shared& s = shared<Shared>();
    s.words[thread()] = g.in[0];
    sync_block();
    g.give(0, s.words[kWordThreads - 1 - thread()]);
    sync_block();
    s.words[thread()] = g.in[1];
    sync_warp();
    g.give(1, s.words[thread() ^ 1]);
  }
};
struct LastBlock {
  SIMT_DEV static void run(const Given& g) {
    if (last_block(g.counter, kWordBlocks)) *(g.out - (block_x() * kWordThreads + thread()) * kWordOutputs + thread()) = 7;
  }
};
struct Places {
  SIMT_DEV static void run(const Given& g) {
    g.give(0, static_cast<uint32_t>(thread() + 1000 * threads()));
    g.give(1, static_cast<uint32_t>(block_x() + 10 * blocks_x() + 100 * block_y() + 1000 * block_z()));
    g.give(2, static_cast<uint32_t>(warp() * 100 + lane()));
  }
};
struct Halves {
  SIMT_DEV static void run(const Given& g) {
    g.give(0, to_float(F16{static_cast<uint16_t>(g.in[0] & 0x7bff)}));
    g.give(1, static_cast<uint32_t>(to_f16(some(g.in[1])).bits) | static_cast<uint32_t>(to_bf16(some(g.in[2])).bits) << 16);
    const Float2 f = halves(g.in[3] & 0x7bff7bff);
    g.give(2, pack_f16(f.y, f.x));
    g.give(3, sub_halves(small_halves(g.in[4]), small_halves(g.in[5])));
  }
};
struct Bits {
  SIMT_DEV static void run(const Given& g) {
    g.give(0, static_cast<uint32_t>(dot4(g.in[0], g.in[1], static_cast<int>(g.in[2] & 0xffff))));
    g.give(1, permute(g.in[0], g.in[1], g.in[2] & 0x7777));
    g.give(2, static_cast<uint32_t>(count_bits(g.in[3])));
    g.give(3, static_cast<uint32_t>(round_int(small(g.in[4], 0) / 2)));
  }
};
struct Fma {
  SIMT_DEV static void run(const Given& g) {
    const float a = some(g.in[0]), b = some(g.in[1]), c = -some(g.in[2]);
    g.give(0, fma1(a, b, c));
    g.give(1, static_cast<float>(fma1(double{a}, double{b}, double{c})));
    g.give(2, largest(a, b));
    g.give(3, magnitude(c));
  }
};
struct Functions {
  SIMT_DEV static void run(const Given& g) {
    g.give(0, power_of_2(-some(g.in[0])));
    g.give(1, exponential(-some(g.in[1])));
    g.give(2, exponential_minus_1(some(g.in[2])));
    g.give(3, natural_log(some(g.in[3])));
  }
};
struct MoreFunctions {
  SIMT_DEV static void run(const Given& g) {
    g.give(0, log_plus_1(some(g.in[0])));
    g.give(1, inv_sqrt(some(g.in[1])));
    g.give(2, hyperbolic_tangent(some(g.in[2])));
    g.give(3, error_function(some(g.in[3])));
  }
};
struct LoadStream {
  SIMT_DEV static void run(const Given& g) {
    const Words4 a = load_stream(g.in), b = load_stream(g.in + 4);
    g.give(0, a.w[0] ^ a.w[3] ^ b.w[1]);
    const Words2 c = load_stream8(g.in + 2);
    g.give(1, c.w[0] + 3 * c.w[1]);
    g.give(2, load_stream4(g.in + 7));
  }
};
struct Load {
  SIMT_DEV static void run(const Given& g) {
    const Words4 a = load16(g.in), b = load_once16(g.in + 4);
    const Words2 c = load8(g.in + 2), d = load_once8(g.in + 6);
    for (int i = 0; i < 4; ++i) g.give(i, a.w[i] ^ b.w[3 - i]);
    g.out[0] += c.w[0] + d.w[1];
  }
};
struct CopyAsync {
  SIMT_DEV static void run(const Given& g) {
    Shared& s = shared<Shared>();
    copy_async16(s.words + thread() * 8, g.in);
    copy_commit();
    copy_async16(s.words + thread() * 8 + 4, g.in + 4, thread() % 3 != 0);
    copy_commit();
    copy_wait<1>();
    sync_block();
    const int other = kWordThreads - 1 - thread();
    g.give(0, s.words[other * 8] ^ s.words[other * 8 + 3]);
    copy_wait<0>();
    sync_block();
    g.give(1, s.words[other * 8 + 4] ^ s.words[other * 8 + 7]);
  }
};
struct MmaF16 {
  SIMT_DEV static void run(const Given& g) {
    float c[4] = {1, 2, 3, 4};
    uint32_t a[4], b[2];
    for (int i = 0; i < 4; ++i) a[i] = small_halves(g.in[i]);
    for (int i = 0; i < 2; ++i) b[i] = small_halves(g.in[4 + i]);
    mma_f16(c, a, b);
    for (int i = 0; i < 4; ++i) g.give(i, c[i]);
  }
};
struct MmaBf16 {
  SIMT_DEV static void run(const Given& g) {
    float c[4] = {1, 2, 3, 4};
    uint32_t a[4], b[2];
    for (int i = 0; i < 4; ++i) a[i] = small_bf16s(g.in[i]);
    for (int i = 0; i < 2; ++i) b[i] = small_bf16s(g.in[4 + i]);
    mma_bf16(c, a, b);
    for (int i = 0; i < 4; ++i) g.give(i, c[i]);
  }
};
struct MmaS8 {
  SIMT_DEV static void run(const Given& g) {
    int c[4] = {1, 2, 3, 4};
    const uint32_t a[4] = {g.in[0], g.in[1], g.in[2], g.in[3]}, b[2] = {g.in[4], g.in[5]};
    mma_s8(c, a, b);
    for (int i = 0; i < 4; ++i) g.give(i, static_cast<uint32_t>(c[i]));
  }
};
template <bool kTransposed>
struct LoadMatrix {
  SIMT_DEV static void run(const Given& g) {
    Shared& s = shared<Shared>();
    for (int i = 0; i < kWordInputs; ++i) s.words[thread() * kWordInputs + i] = g.in[i];
    sync_block();
    uint32_t r[4];
    const void* row = s.words + (warp() * 32 + (lane() * 5 + 3) % 32) * kWordInputs;
    if constexpr (kTransposed)
      load_matrix4_t(r, row);
    else
      load_matrix4(r, row);
    for (int i = 0; i < 4; ++i) g.give(i, r[i]);
  }
};
struct AtomicAdd {
  SIMT_DEV static void run(const Given& g) {
    auto* const at = reinterpret_cast<int*>(g.out - thread() * kWordOutputs + thread() / 32 * kWordOutputs);
    atomic_add(at, 1 + static_cast<int>(g.in[0] & 15));
    atomic_add(reinterpret_cast<float*>(at + 1), small(g.in[1], 0));
  }
};

template <class Name>
SIMT_KERNEL void word(WordArgs a) {
  const int me = block_x() * kWordThreads + thread();
  Name::run({a.in + me * kWordInputs, a.out + me * kWordOutputs, a.counter});
}

template <class Name>
void launch_word(Stream stream, const WordArgs& a) {
  launch<word<Name>>(stream, {{kWordBlocks}, kWordThreads, sizeof(Shared)}, a);
}

}  // namespace

template <>
std::vector<Word> words<simt::Target>() {
  return {{"thread, block_x, warp, lane", launch_word<Places>},
          {"shuffle, warp_sum, warp_max", launch_word<Shuffle>},
          {"votes", launch_word<Votes>},
          {"sync_block, sync_warp, shared", launch_word<SharedMemory>},
          {"last_block", launch_word<LastBlock>},
          {"atomic_add", launch_word<AtomicAdd>},
          {"to_float, to_f16, to_bf16, halves, pack_f16, sub_halves", launch_word<Halves>},
          {"dot4, permute, count_bits, round_int", launch_word<Bits>},
          {"fma1, largest, magnitude", launch_word<Fma>},
          {"power_of_2, exponential, exponential_minus_1, natural_log", launch_word<Functions>, true},
          {"log_plus_1, inv_sqrt, hyperbolic_tangent, error_function", launch_word<MoreFunctions>, true},
          {"load_stream", launch_word<LoadStream>},
          {"load16, load8, load_once", launch_word<Load>},
          {"copy_async16, copy_commit, copy_wait", launch_word<CopyAsync>},
          {"mma_f16", launch_word<MmaF16>},
          {"mma_bf16", launch_word<MmaBf16>},
          {"mma_s8", launch_word<MmaS8>},
          {"load_matrix4", launch_word<LoadMatrix<false>>},
          {"load_matrix4_t", launch_word<LoadMatrix<true>>}};
}

}  // namespace skald::gpu
