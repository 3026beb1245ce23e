// Peak and read loops as inline assembly, which takes every instruction even those that the compiler may not use.
#include "backend/cpu/roofline_loops.h"

#include <array>

namespace skald {
namespace {

// For processors without AVX2: the compiler's code, four lanes and eight accumulators.
constexpr double kPlainOps = 8 * 4 * 2;

bool is_plain(const CpuFeatures& f) { return !f.avx2; }

void f32_plain(int64_t rounds, const void* operands) {
  using Lanes = float __attribute__((vector_size(16)));
  const auto* x = static_cast<const float*>(operands);
  const Lanes a = {x[0], x[1], x[2], x[3]}, b = {x[4], x[5], x[6], x[7]};
  std::array<Lanes, 8> sum = {};
  for (int64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 8
    for (Lanes& s : sum) s += a * b;
    asm volatile("" : : "r"(&sum), "m"(sum));  // the product must not be hoisted out, nor rounds be merged
  }
}

void read_plain(const std::byte* begin, int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += 64) {
    __builtin_prefetch(begin + at + 4096, 0, 3);
    asm volatile("" : : "r"(*reinterpret_cast<const uint64_t*>(begin + at)));  // one load brings the whole line
  }
}

// Registers 14 and 15 hold the operands, 0 to 13 the accumulators (the three-instruction sequence needs 12 and 13 itself).
// clang-format off
#define SKALD_FOURTEEN "0,1,2,3,4,5,6,7,8,9,10,11,12,13"
#define SKALD_TWELVE "0,1,2,3,4,5,6,7,8,9,10,11"
#define SKALD_ALL_VECTORS                                                                                              \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", \
      "xmm14", "xmm15"

// Defines a loop whose round is `step` twice for each accumulator \r, at one register width (ymm or zmm). `load` fetches the
// operands; accumulators start at zero.
#define SKALD_PEAK_LOOP(name, width, load, accumulators, step)                                  \
  void name(int64_t rounds, const void* operands) {                                             \
    asm volatile(load " (%[x]), %%" width "14\n"                                                \
                 load " 64(%[x]), %%" width "15\n"                                              \
                 ".irp r," SKALD_FOURTEEN "\n vpxor %%ymm\\r, %%ymm\\r, %%ymm\\r\n .endr\n"     \
                 ".p2align 6\n"                                                                 \
                 "1:\n"                                                                         \
                 ".rept 2\n .irp r," accumulators "\n" step "\n .endr\n .endr\n"                \
                 "dec %[n]\n"                                                                   \
                 "jnz 1b\n"                                                                     \
                 "vzeroupper\n"                                                                 \
                 : [n] "+r"(rounds)                                                             \
                 : [x] "r"(operands)                                                            \
                 : SKALD_ALL_VECTORS, "cc", "memory");                                          \
  }

// Products are summed in pairs of 16 bits (12), widened by a multiplication with ones (13) and accumulated. An operand
// stands in for the ones: the values multiplied do not matter to the time.
#define SKALD_MADDUBS(width)                                    \
  "vpmaddubsw %%" width "15, %%" width "14, %%" width "12\n"    \
  "vpmaddwd %%" width "12, %%" width "15, %%" width "13\n"      \
  "vpaddd %%" width "13, %%" width "\\r, %%" width "\\r\n"
// clang-format on

SKALD_PEAK_LOOP(f32_zmm, "zmm", "vmovdqu64", SKALD_FOURTEEN, "vfmadd231ps %%zmm14, %%zmm15, %%zmm\\r")
SKALD_PEAK_LOOP(f32_ymm, "ymm", "vmovdqu", SKALD_FOURTEEN, "vfmadd231ps %%ymm14, %%ymm15, %%ymm\\r")
SKALD_PEAK_LOOP(bf16_zmm, "zmm", "vmovdqu64", SKALD_FOURTEEN, "vdpbf16ps %%zmm14, %%zmm15, %%zmm\\r")
SKALD_PEAK_LOOP(pairs_zmm, "zmm", "vmovdqu64", SKALD_FOURTEEN, "vpdpwssd %%zmm14, %%zmm15, %%zmm\\r")
SKALD_PEAK_LOOP(pairs_ymm, "ymm", "vmovdqu", SKALD_FOURTEEN, "%{vex%} vpdpwssd %%ymm14, %%ymm15, %%ymm\\r")
SKALD_PEAK_LOOP(vnni_zmm, "zmm", "vmovdqu64", SKALD_FOURTEEN, "vpdpbusd %%zmm14, %%zmm15, %%zmm\\r")
SKALD_PEAK_LOOP(vnni_ymm, "ymm", "vmovdqu", SKALD_FOURTEEN, "%{vex%} vpdpbusd %%ymm14, %%ymm15, %%ymm\\r")
SKALD_PEAK_LOOP(maddubs_zmm, "zmm", "vmovdqu64", SKALD_TWELVE, SKALD_MADDUBS("zmm"))
SKALD_PEAK_LOOP(maddubs_ymm, "ymm", "vmovdqu", SKALD_TWELVE, SKALD_MADDUBS("ymm"))

// Tiles: 0 to 3 are the accumulators, all rows of the operands are alike.
void bf16_tiles(int64_t rounds, const void* operands) {
  struct alignas(64) {
    uint8_t palette = 1, start_row = 0, reserved[14] = {};
    uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16};
  } config;
  asm volatile(
      "ldtilecfg %[config]\n"
      "tileloadd (%[x], %[stride], 1), %%tmm4\n"
      "tileloadd 64(%[x], %[stride], 1), %%tmm5\n"
      ".irp r,0,1,2,3\n tilezero %%tmm\\r\n .endr\n"
      ".p2align 6\n"
      "1:\n"
      ".rept 2\n .irp r,0,1,2,3\n tdpbf16ps %%tmm5, %%tmm4, %%tmm\\r\n .endr\n .endr\n"
      "dec %[n]\n"
      "jnz 1b\n"
      "tilerelease\n"
      : [n] "+r"(rounds)
      : [x] "r"(operands), [stride] "r"(int64_t{0}), [config] "m"(config)
      : "cc", "memory");
}

constexpr double kLanes512 = 16, kLanes256 = 8;  // of 32 bits
// Two steps for each accumulator, two operations (multiply, add) for each of `products` per lane.
constexpr double ops(double accumulators, double lanes, double products) { return 2 * accumulators * lanes * products * 2; }

constexpr std::array kF32 = {
    PeakLoop{[](const CpuFeatures& f) { return f.avx512; }, f32_zmm, ops(14, kLanes512, 1)},
    PeakLoop{[](const CpuFeatures& f) { return f.avx2 && f.fma; }, f32_ymm, ops(14, kLanes256, 1)},
    PeakLoop{is_plain, f32_plain, kPlainOps},
};
constexpr std::array kBf16 = {
    PeakLoop{[](const CpuFeatures& f) { return f.avx512_bf16; }, bf16_zmm, ops(14, kLanes512, 2)},
    PeakLoop{[](const CpuFeatures& f) { return f.amx; }, bf16_tiles, ops(4, 16 * 16, 32)},
};
constexpr std::array kInt16 = {
    PeakLoop{[](const CpuFeatures& f) { return f.avx512_vnni; }, pairs_zmm, ops(14, kLanes512, 2)},
    PeakLoop{[](const CpuFeatures& f) { return f.avx_vnni; }, pairs_ymm, ops(14, kLanes256, 2)},
};
constexpr std::array kInt8 = {
    PeakLoop{[](const CpuFeatures& f) { return f.avx512_vnni; }, vnni_zmm, ops(14, kLanes512, 4)},
    PeakLoop{[](const CpuFeatures& f) { return f.avx_vnni; }, vnni_ymm, ops(14, kLanes256, 4)},
    PeakLoop{[](const CpuFeatures& f) { return f.avx512; }, maddubs_zmm, ops(12, kLanes512, 4)},
    PeakLoop{[](const CpuFeatures& f) { return f.avx2; }, maddubs_ymm, ops(12, kLanes256, 4)},
};

template <int kWidth>
inline void read_line(const std::byte* at) {
  using Half = const std::byte[32];
  if constexpr (kWidth == 64)
    asm volatile("vmovdqu64 %0, %%zmm0" : : "m"(*reinterpret_cast<const std::byte(*)[64]>(at)) : "xmm0");
  else
    asm volatile("vmovdqu %0, %%ymm0\n vmovdqu %1, %%ymm1"
                 :
                 : "m"(*reinterpret_cast<Half*>(at)), "m"(*reinterpret_cast<Half*>(at + 32))
                 : "xmm0", "xmm1");
}

// kStreams contiguous parts side by side; prefetches go kAhead bytes ahead (0: none), past the end too, where they do
// nothing.
template <int kWidth, int kStreams, int kAhead>
void read_streams(const std::byte* begin, int64_t bytes) {
  constexpr int64_t kLines = 4;  // of each stream in a round
  static_assert(kReadGrain % (kStreams * kLines * 64) == 0);
  const int64_t part = bytes / kStreams;
  for (int64_t at = 0; at < part; at += kLines * 64) {
#pragma GCC unroll 4
    for (int64_t line = 0; line < kLines; ++line) {
#pragma GCC unroll 4
      for (int64_t stream = 0; stream < kStreams; ++stream) {
        const std::byte* p = begin + stream * part + at + line * 64;
        if constexpr (kAhead != 0) __builtin_prefetch(p + kAhead, 0, 3);
        read_line<kWidth>(p);
      }
    }
  }
  asm volatile("vzeroupper");
}

bool has_avx512(const CpuFeatures& f) { return f.avx512; }
bool has_only_avx2(const CpuFeatures& f) { return f.avx2 && !f.avx512; }

constexpr std::array kRead = {
    ReadLoop{has_avx512, read_streams<64, 1, 4096>},    ReadLoop{has_avx512, read_streams<64, 2, 4096>},
    ReadLoop{has_avx512, read_streams<64, 4, 4096>},    ReadLoop{has_avx512, read_streams<64, 2, 0>},
    ReadLoop{has_only_avx2, read_streams<32, 1, 4096>}, ReadLoop{has_only_avx2, read_streams<32, 2, 4096>},
    ReadLoop{has_only_avx2, read_streams<32, 2, 0>},    ReadLoop{is_plain, read_plain},
};

#undef SKALD_PEAK_LOOP
#undef SKALD_MADDUBS
#undef SKALD_ALL_VECTORS
#undef SKALD_TWELVE
#undef SKALD_FOURTEEN

}  // namespace

std::span<const PeakLoop> f32_loops() { return kF32; }
std::span<const PeakLoop> bf16_loops() { return kBf16; }
std::span<const PeakLoop> int16_loops() { return kInt16; }
std::span<const PeakLoop> int8_loops() { return kInt8; }
std::span<const ReadLoop> read_loops() { return kRead; }

}  // namespace skald
