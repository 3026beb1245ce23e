// Peak and read loops as inline assembly, which takes every instruction even those that the compiler may not use.
#include "backend/cpu/roofline_loops.h"

#include <array>

namespace skald {
namespace {

// Registers 30 and 31 hold the operands, 0 to 23 the accumulators: four instructions a cycle of four cycles each need 16.
// 24 and 25 are for sequences.
// clang-format off
#define SKALD_ACCUMULATORS "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23"
#define SKALD_ALL_VECTORS                                                                                              \
  "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", \
      "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v30", "v31"

// For the assembler all instructions are there. Defines a loop whose round is `step` for each accumulator v\r, which starts at zero.
#define SKALD_PEAK_LOOP(name, step)                                                      \
  void name(int64_t rounds, const void* operands) {                                      \
    asm volatile(".arch armv8.6-a\n"                                                    \
                 "ldr q30, [%[x]]\n"                                                     \
                 "ldr q31, [%[x], #64]\n"                                                \
                 ".irp r," SKALD_ACCUMULATORS "\n movi v\\r\\().4s, #0\n .endr\n"        \
                 ".p2align 5\n"                                                          \
                 "1:\n"                                                                  \
                 ".irp r," SKALD_ACCUMULATORS "\n" step "\n .endr\n"                     \
                 "subs %[n], %[n], #1\n"                                                 \
                 "b.ne 1b\n"                                                             \
                 ".arch armv8-a\n"                                                      \
                 : [n] "+r"(rounds)                                                      \
                 : [x] "r"(operands)                                                     \
                 : SKALD_ALL_VECTORS, "cc", "memory");                                   \
  }
// clang-format on

SKALD_PEAK_LOOP(f32_fused, "fmla v\\r\\().4s, v30.4s, v31.4s")
SKALD_PEAK_LOOP(bf16_matrices, "bfmmla v\\r\\().4s, v30.8h, v31.8h")
SKALD_PEAK_LOOP(int8_matrices, "smmla v\\r\\().4s, v30.16b, v31.16b")
SKALD_PEAK_LOOP(int8_dots, "sdot v\\r\\().4s, v30.16b, v31.16b")
SKALD_PEAK_LOOP(int8_long,
                "smull v24.8h, v30.8b, v31.8b\n smull2 v25.8h, v30.16b, v31.16b\n"
                "addp v24.8h, v24.8h, v25.8h\n sadalp v\\r\\().4s, v24.8h")

// Products of a lane of 32 bits; a multiply-add counts as two.
constexpr double ops(double products) { return 24 * 4 * products * 2; }

bool always(const CpuFeatures&) { return true; }

constexpr std::array kF32 = {PeakLoop{always, f32_fused, ops(1)}};
constexpr std::array kBf16 = {PeakLoop{[](const CpuFeatures& f) { return f.bf16; }, bf16_matrices, ops(4)}};
constexpr std::array<PeakLoop, 0> kInt16;
constexpr std::array kInt8 = {
    PeakLoop{[](const CpuFeatures& f) { return f.matrix_int8; }, int8_matrices, ops(8)},
    PeakLoop{[](const CpuFeatures& f) { return f.dot_products; }, int8_dots, ops(4)},
    PeakLoop{always, int8_long, ops(4)},
};

// kStreams contiguous parts side by side; prefetches go kAhead bytes ahead (0: none), past the end too, where they do
// nothing.
template <int kStreams, int kAhead>
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
        asm volatile("ldp q0, q1, [%0]\n ldp q2, q3, [%0, #32]" : : "r"(p) : "v0", "v1", "v2", "v3", "memory");
      }
    }
  }
}

constexpr std::array kRead = {ReadLoop{always, read_streams<1, 4096>}, ReadLoop{always, read_streams<2, 4096>},
                              ReadLoop{always, read_streams<4, 4096>}, ReadLoop{always, read_streams<2, 0>}};

#undef SKALD_PEAK_LOOP
#undef SKALD_ALL_VECTORS
#undef SKALD_ACCUMULATORS

}  // namespace

std::span<const PeakLoop> f32_loops() { return kF32; }
std::span<const PeakLoop> bf16_loops() { return kBf16; }
std::span<const PeakLoop> int16_loops() { return kInt16; }
std::span<const PeakLoop> int8_loops() { return kInt8; }
std::span<const ReadLoop> read_loops() { return kRead; }

}  // namespace skald
