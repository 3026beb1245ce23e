// What a device can do at most, measured: the yardstick that benchmarks state their shares of.
#pragma once

namespace skald {

struct Roofline {
  double read_gb_per_s = 0;     // prefetched sequential read of a buffer much larger than the last-level cache
  double f32_gflop_per_s = 0;   // fused multiply-adds counted as 2
  double bf16_gflop_per_s = 0;  // bfloat16 dot products, counted as 2, of tiles too; 0 where absent
  double int8_gop_per_s = 0;    // int8 dot products of vectors, counted as 2: tiles cannot scale blocks of 32 weights
  double int16_gop_per_s = 0;   // int16 dot products, counted as 2; 0 where floats are as fast
};

/// A machine drifts: what it could do between two measurements.
inline Roofline mean(const Roofline& a, const Roofline& b) {
  return {.read_gb_per_s = (a.read_gb_per_s + b.read_gb_per_s) / 2,
          .f32_gflop_per_s = (a.f32_gflop_per_s + b.f32_gflop_per_s) / 2,
          .bf16_gflop_per_s = (a.bf16_gflop_per_s + b.bf16_gflop_per_s) / 2,
          .int8_gop_per_s = (a.int8_gop_per_s + b.int8_gop_per_s) / 2,
          .int16_gop_per_s = (a.int16_gop_per_s + b.int16_gop_per_s) / 2};
}

/// The share of a limit that a rate reaches; 0 where the limit was not measured.
inline double share_of(double rate, double limit) { return limit > 0 ? rate / limit : 0; }

}  // namespace skald
