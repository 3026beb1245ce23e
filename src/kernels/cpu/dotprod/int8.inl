// NEON whose dot products of bytes are one instruction, which also takes one of the fours of a register.
#pragma once

#include "kernels/cpu/neon/int8.inl"

struct DotProducts {
  static int8x16_t add(int8x16_t sum, int8x16_t w, int8x16_t x) {
    return vreinterpretq_s8_s32(vdotq_s32(vreinterpretq_s32_s8(sum), w, x));
  }
  template <int kLane>
  static int8x16_t add_lane(int8x16_t sum, int8x16_t w, int8x16_t fours) {
    return vreinterpretq_s8_s32(vdotq_laneq_s32(vreinterpretq_s32_s8(sum), w, fours, kLane));
  }
};

struct Int8Dotprod : Int8Neon<DotProducts> {
  using Fours = int8x16_t;
  template <int kLane>
  struct Lane {
    Fours fours;
  };
  static Fours load_fours(const int8_t* p) { return vld1q_s8(p); }
  template <int kLane>
  static Lane<kLane> lane(Fours fours, std::integral_constant<int, kLane>) {
    return {fours};
  }

  using Int8Neon<DotProducts>::add_products;
  template <int kLane>
  static W add_products(W sum, W w, Lane<kLane> x) {
    return {DotProducts::add_lane<kLane>(sum.low, w.low, x.fours), DotProducts::add_lane<kLane>(sum.high, w.high, x.fours)};
  }

  template <int kOffset, int kMaxCode>
  using Dot = SignedDot<Int8Dotprod, kOffset, kMaxCode>;
};
