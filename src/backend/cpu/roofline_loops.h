// The loops of the roofline: peak arithmetic from registers, and plain reading of memory, in assembly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cpu_features.h"

namespace skald {

/// Nothing but one instruction (or sequence) over 12 or 14 independent accumulators (4 tiles): more than latency times issue
/// rate on every processor so far. Assembly, because a compiler's register copies would hide almost half of the int8 peak.
struct PeakLoop {
  bool (*supported)(const CpuFeatures&);
  void (*run)(int64_t rounds, const void* operands);  // operands: two vectors of 64 bytes, aligned
  double ops_per_round;                               // a multiply-add counts as 2
};

std::span<const PeakLoop> f32_loops();
std::span<const PeakLoop> bf16_loops();
std::span<const PeakLoop> int16_loops();
/// Any codes will do: the maddubs sequence saturates but takes the same time.
std::span<const PeakLoop> int8_loops();

/// Reads each byte of [begin, begin + bytes) once. bytes is a multiple of kReadGrain, begin of 64.
struct ReadLoop {
  bool (*supported)(const CpuFeatures&);
  void (*run)(const std::byte* begin, int64_t bytes);
};
constexpr int64_t kReadGrain = 1024;

/// One, two or four streams per thread, each line prefetched 4 KB ahead or not. Which one leads differs between processors.
/// On Zen 5 all lie within 8 %, but for four streams, which are up to 15 % slower. On Cascade Lake prefetching gains 3 to 8
/// %; on Sapphire Rapids four streams are a third faster than one. Tried and left out, on Zen 5: distances of 1, 2, 3, 6, 8
/// and 16 KB, prefetchnta, ymm loads and 4 KB pages (no difference beyond noise).
std::span<const ReadLoop> read_loops();

}  // namespace skald
