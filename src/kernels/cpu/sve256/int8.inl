// Panels of bytes in SVE vectors; rows of blocks are NEON's.
#pragma once

#include "kernels/cpu/neon/int8.inl"
#include "kernels/cpu/neon/products.inl"
#include "kernels/cpu/sve256/f32.inl"

struct Int8Sve : Int8Neon<LongProducts> {
  // Vectors of rows by 4 columns of unsigned weights, and 4 activations in all lanes.
  using W = svint8_t __attribute__((arm_sve_vector_bits(__ARM_FEATURE_SVE_BITS)));
  static constexpr int kTileTokens = 6;
  static svbool_t bytes() { return svptrue_b8(); }
  static W load_w(const void* p) { return svld1_s8(bytes(), static_cast<const int8_t*>(p)); }
  static void store_w(void* p, W x) { svst1_s8(bytes(), static_cast<int8_t*>(p), x); }
  static W zero_w() { return svdup_s8(0); }
  static W set1_w(int32_t x) { return svreinterpret_s8_s32(svdup_s32(x)); }
  static W set1_shifted(int32_t x, int right) { return svreinterpret_s8_s32(svdup_s32(x >> right)); }
  static W low_nibbles(W x) { return bits(x, 0, 15); }
  static W high_nibbles(W x) { return bits(x, 4, 15); }
  // (x >> right) & mask of each byte; to the left where `right` is negative.
  static W bits(W x, int right, int mask) {
    const svuint8_t codes = svreinterpret_u8_s8(x);
    const svuint8_t shifted = right > 0   ? svlsr_n_u8_x(bytes(), codes, static_cast<uint8_t>(right))
                              : right < 0 ? svlsl_n_u8_x(bytes(), codes, static_cast<uint8_t>(-right))
                                          : codes;
    return svreinterpret_s8_u8(svand_n_u8_x(bytes(), shifted, static_cast<uint8_t>(mask)));
  }
  static W either(W a, W b) { return svorr_s8_x(bytes(), a, b); }
  static W lookup(const uint8_t (&levels)[16], W numbers) {
    return svreinterpret_s8_u8(svtbl_u8(svld1rq_u8(bytes(), levels), svreinterpret_u8_s8(numbers)));
  }
  static W less(W codes, int offset) { return svsub_n_s8_x(bytes(), codes, static_cast<int8_t>(offset)); }
  static void pin(W& sum) { asm("" : "+w"(sum)); }

  // sum + the products of four bytes each, in lanes of 32 bits.
  static W add_products(W sum, W w, W x) { return svreinterpret_s8_s32(svdot_s32(svreinterpret_s32_s8(sum), w, x)); }
  // Fours of activations are the same in each 128 bits.
  using Fours = W;
  template <int kLane>
  struct Lane {
    Fours fours;
  };
  static Fours load_fours(const int8_t* p) { return svld1rq_s8(bytes(), p); }
  template <int kLane>
  static Lane<kLane> lane(Fours fours, std::integral_constant<int, kLane>) {
    return {fours};
  }
  template <int kLane>
  static W add_products(W sum, W w, Lane<kLane> x) {
    return svreinterpret_s8_s32(svdot_lane_s32(svreinterpret_s32_s8(sum), w, x.fours, kLane));
  }
  static SveFloats floats(W x) { return svcvt_f32_s32_x(svptrue_b32(), svreinterpret_s32_s8(x)); }

  template <int kOffset, int kMaxCode>
  using Dot = SignedDot<Int8Sve, kOffset, kMaxCode>;
};
