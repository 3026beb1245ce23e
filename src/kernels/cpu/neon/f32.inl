// Vectors of 8 floats in pairs of registers; the int8 part comes with the base class.
#pragma once

#include "kernels/cpu/neon/pairs.inl"
#include "kernels/generic/lane_orders.inl"

template <class Int8>
struct Neon : Int8 {
  using F = Floats;
  static constexpr int kWidth = 8;
  static constexpr int kTokens = 2;            // tokens per matmul tile: 2 x 4 accumulators of the 16 pairs of registers
  static constexpr int kAccumulators = 8;      // attention over the cache: the others hold the data that is read
  static constexpr int kGemmRows = 6;          // attention over panels: 6 x 2 accumulators
  static constexpr int kKeysTogether = 2;      // scores of keys in rows
  static constexpr bool kAsksForPages = true;  // attention over the cache: for the next page, evenly, or a fixed way ahead
  static constexpr int kPageStreams = 2;       // parts of it that are asked for side by side
  static constexpr int kUnaskedHeads = 0;      // that pass over pages of floats without asking for the next
  static constexpr int kAheadHeads = 0;        // that ask a fixed way ahead there
  static constexpr int kAskLevel = 3;          // of __builtin_prefetch: weights and pages go into L1 (3) or L2 (2)
  static constexpr int64_t kAskBytes = kPrefetchBytes;  // ahead of which few tokens ask for weights in panels
  static constexpr bool kIndexByStreams = true;         // index_streams.inl or index.inl

  static F zero() { return set1(0); }
  static F set1(float x) { return {vdupq_n_f32(x), vdupq_n_f32(x)}; }
  static F load(const float* p) { return {vld1q_f32(p), vld1q_f32(p + 4)}; }
  // Two floats, four times each.
  static F each_four_times(const float* p) { return {vdupq_n_f32(p[0]), vdupq_n_f32(p[1])}; }
  static void store(float* p, F x) { Int8::d_store(p, x); }
  static F load_f16(const void* p) { return Int8::load_halves(p); }
  static F load_bf16(const void* p) {
    const uint16x8_t x = vld1q_u16(static_cast<const uint16_t*>(p));
    return from_bits(
        {vreinterpretq_s32_u32(vshll_n_u16(vget_low_u16(x), 16)), vreinterpretq_s32_u32(vshll_high_n_u16(x, 16))});
  }
  // Of pairs, the first of each and the second.
  static F load_bf16_even(const void* p) {
    const I x = load_i(static_cast<const int32_t*>(p));
    return from_bits({vshlq_n_s32(x.low, 16), vshlq_n_s32(x.high, 16)});
  }
  static F load_bf16_odd(const void* p) {
    const I x = load_i(static_cast<const int32_t*>(p));
    const int32x4_t second = vdupq_n_s32(-65536);
    return from_bits({vandq_s32(x.low, second), vandq_s32(x.high, second)});
  }
  static void store_f16(void* p, F x) {
    vst1q_u16(static_cast<uint16_t*>(p), vreinterpretq_u16_f16(vcvt_high_f16_f32(vcvt_f16_f32(x.low), x.high)));
  }
  // Round to nearest even in the upper 16 bits. A NaN loses the others first, which might carry.
  static void store_bf16(void* p, F x) {
    const auto of = [](float32x4_t four) __attribute__((always_inline)) {
      const uint32x4_t number = vceqq_f32(four, four);
      const uint32x4_t bits = vandq_u32(vreinterpretq_u32_f32(four), vorrq_u32(number, vdupq_n_u32(0xffff0000)));
      const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
      return vaddq_u32(vaddq_u32(bits, odd), vdupq_n_u32(0x7fff));
    };
    const uint16x8_t rounded = vuzp2q_u16(vreinterpretq_u16_u32(of(x.low)), vreinterpretq_u16_u32(of(x.high)));
    vst1q_u16(static_cast<uint16_t*>(p), rounded);
  }
  // To signed bytes, rounded to nearest even; |x| <= 127, or no number: -128.
  static void store_i8(int8_t* p, F x) {
    const auto of = [](float32x4_t four) __attribute__((always_inline)) {
      return vcvtnq_s32_f32(vmaxnmq_f32(four, vdupq_n_f32(-128)));
    };
    vst1_s8(p, vqmovn_s16(vqmovn_high_s32(vqmovn_s32(of(x.low)), of(x.high))));
  }

  static F add(F a, F b) { return {vaddq_f32(a.low, b.low), vaddq_f32(a.high, b.high)}; }
  static F sub(F a, F b) { return {vsubq_f32(a.low, b.low), vsubq_f32(a.high, b.high)}; }
  static F mul(F a, F b) { return {vmulq_f32(a.low, b.low), vmulq_f32(a.high, b.high)}; }
  static F div(F a, F b) { return {vdivq_f32(a.low, b.low), vdivq_f32(a.high, b.high)}; }
  // By comparing: FMAX would give a NaN where one of them is.
  static F max(F a, F b) { return {larger(a.low, b.low), larger(a.high, b.high)}; }
  static float32x4_t larger(float32x4_t a, float32x4_t b) { return vbslq_f32(vcgtq_f32(a, b), a, b); }
  // max(a, |x|) for a >= 0, and the largest of such lanes; a NaN is larger than all numbers.
  static F max_magnitude(F a, F x) { return from_bits(max_i(to_bits(a), to_bits(abs_f(x)))); }
  static float max_of_magnitudes(F x) {
    const I bits = to_bits(x);
    return __builtin_bit_cast(float, vmaxvq_s32(vmaxq_s32(bits.low, bits.high)));
  }
  static F abs_f(F a) { return {vabsq_f32(a.low), vabsq_f32(a.high)}; }
  static F fma(F a, F b, F c) { return {vfmaq_f32(c.low, a.low, b.low), vfmaq_f32(c.high, a.high, b.high)}; }
  static F round_half_up(F a) {
    const F x = add(a, set1(0.5f));
    return {vrndmq_f32(x.low), vrndmq_f32(x.high)};
  }
  static F load_i8_floats(const int8_t* p) {
    const int16x8_t x = vmovl_s8(vld1_s8(p));
    return {vcvtq_f32_s32(vmovl_s16(vget_low_s16(x))), vcvtq_f32_s32(vmovl_high_s16(x))};
  }
  // kWidth bytes.
  static F load_bytes(const int8_t* p) { return load_i8_floats(p); }
  static F load_bytes(const uint8_t* p) { return floats_of(vld1_u8(p)); }
  static F floats_of(uint8x8_t bytes) {
    const uint16x8_t x = vmovl_u8(bytes);
    return {vcvtq_f32_u32(vmovl_u16(vget_low_u16(x))), vcvtq_f32_u32(vmovl_high_u16(x))};
  }
  // 2^(byte - 128), 0 where that is denormal.
  static F load_powers(const uint8_t* p) {
    const uint16x8_t less = vmovl_u8(vqsub_u8(vld1_u8(p), vdup_n_u8(1)));
    return from_bits({vreinterpretq_s32_u32(vshlq_n_u32(vmovl_u16(vget_low_u16(less)), 23)),
                      vreinterpretq_s32_u32(vshlq_n_u32(vmovl_high_u16(less), 23))});
  }
  // Halves of which these bytes are bits 7 to 14 and the others 0.
  static F load_short_f16(const uint8_t* p) {
    const float16x8_t x = vreinterpretq_f16_u16(vshll_n_u8(vld1_u8(p), 7));
    return {vcvt_f32_f16(vget_low_f16(x)), vcvt_high_f32_f16(x)};
  }
  // The nibbles of kWidth bytes, 0 to 15.
  static F load_low_nibbles(const uint8_t* p) { return floats_of(vand_u8(vld1_u8(p), vdup_n_u8(15))); }
  static F load_high_nibbles(const uint8_t* p) { return floats_of(vshr_n_u8(vld1_u8(p), 4)); }
  static F set_half(uint16_t half) { return Int8::scale(half); }
  static uint16_t to_half(float x) { return vget_lane_u16(vreinterpret_u16_f16(vcvt_f16_f32(vdupq_n_f32(x))), 0); }
  // Lane i is the sum over x[i].
  static F sum_each(const F (&x)[kWidth]) {
    const auto both = [&](int i) __attribute__((always_inline)) {
      return vpaddq_f32(vaddq_f32(x[i].low, x[i].high), vaddq_f32(x[i + 1].low, x[i + 1].high));
    };
    return {vpaddq_f32(both(0), both(2)), vpaddq_f32(both(4), both(6))};
  }
  static void transpose(F (&m)[kWidth]) {
    Bytes first[4], second[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      first[i] = bytes(m[i]);
      second[i] = bytes(m[i + 4]);
    }
    Int8::transpose_halves(first);
    Int8::transpose_halves(second);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      m[i] = {vreinterpretq_f32_s8(first[i].low), vreinterpretq_f32_s8(second[i].low)};
      m[i + 4] = {vreinterpretq_f32_s8(first[i].high), vreinterpretq_f32_s8(second[i].high)};
    }
  }
  // Lane i gets that of lane i ^ kDistance.
  template <int kDistance>
  static F exchange(F x, std::integral_constant<int, kDistance>) {
    if constexpr (kDistance == 4) return {x.high, x.low};
    constexpr int d = kDistance % 4;
    return {__builtin_shufflevector(x.low, x.low, 0 ^ d, 1 ^ d, 2 ^ d, 3 ^ d),
            __builtin_shufflevector(x.high, x.high, 0 ^ d, 1 ^ d, 2 ^ d, 3 ^ d)};
  }
  // 2^n of 1.5 * 2^23 + 127 + n, n in [-127, 127]; 0 of -127.
  static F to_exponent(F x) {
    const I bits = to_bits(x);
    return from_bits({vshlq_n_s32(bits.low, 23), vshlq_n_s32(bits.high, 23)});
  }
  static float sum(F x) { return Int8::d_sum(x, zero()); }
  // The second where one of two is not a number, as max.
  static float max_of(F x) {
    const float32x4_t four = larger(x.low, x.high);
    const float32x4_t two = larger(four, vextq_f32(four, four, 2));
    return vgetq_lane_f32(larger(two, vextq_f32(two, two, 1)), 0);
  }
  static float first(F x) { return vgetq_lane_f32(x.low, 0); }

  // Keeps a vector that many products share in its registers.
  static void hold(F& x) { asm("" : "+w"(x.low), "+w"(x.high)); }

  // Signed 32-bit lanes and sets of lanes (bit i is lane i), for selection.
  struct I {
    int32x4_t low, high;
  };
  static F from_bits(I x) { return {vreinterpretq_f32_s32(x.low), vreinterpretq_f32_s32(x.high)}; }
  static I to_bits(F x) { return {vreinterpretq_s32_f32(x.low), vreinterpretq_s32_f32(x.high)}; }
  static Bytes bytes(F x) { return {vreinterpretq_s8_f32(x.low), vreinterpretq_s8_f32(x.high)}; }
  static I set1_i(int32_t x) { return {vdupq_n_s32(x), vdupq_n_s32(x)}; }
  static I load_i(const int32_t* p) { return {vld1q_s32(p), vld1q_s32(p + 4)}; }
  static void store_i(int32_t* p, I x) {
    vst1q_s32(p, x.low);
    vst1q_s32(p + 4, x.high);
  }
  static I add_i(I a, I b) { return {vaddq_s32(a.low, b.low), vaddq_s32(a.high, b.high)}; }
  static I min_i(I a, I b) { return {vminq_s32(a.low, b.low), vminq_s32(a.high, b.high)}; }
  static I max_i(I a, I b) { return {vmaxq_s32(a.low, b.low), vmaxq_s32(a.high, b.high)}; }
  static uint32_t set_of(uint32x4_t low, uint32x4_t high) {
    alignas(16) static constexpr uint32_t kLow[4] = {1, 2, 4, 8}, kHigh[4] = {16, 32, 64, 128};
    return vaddvq_u32(vorrq_u32(vandq_u32(low, vld1q_u32(kLow)), vandq_u32(high, vld1q_u32(kHigh))));
  }
  static uint32_t greater(I a, I b) { return set_of(vcgtq_s32(a.low, b.low), vcgtq_s32(a.high, b.high)); }
  static uint32_t reaches(F x, F least) { return set_of(vcgeq_f32(x.low, least.low), vcgeq_f32(x.high, least.high)); }
  // Integers in the order of the floats; -0 as 0, every NaN as -0x7fffffff.
  static I sort_keys(F x) {
    const auto of = [](float32x4_t four) __attribute__((always_inline)) {
      const int32x4_t bits = vreinterpretq_s32_u32(vornq_u32(vreinterpretq_u32_f32(four), vceqq_f32(four, four)));
      const int32x4_t magnitude = vandq_s32(bits, vdupq_n_s32(0x7fffffff));
      return vbslq_s32(vcltzq_s32(bits), vnegq_s32(magnitude), magnitude);
    };
    return {of(x.low), of(x.high)};
  }
  // The lanes of the set, moved together; writes a whole vector.
  static void compress(int32_t* p, I x, uint32_t set) {
    const uint8x16x2_t table = {{vreinterpretq_u8_s32(x.low), vreinterpretq_u8_s32(x.high)}};
    // Each lane's four bytes: 4 * lane + 0, 1, 2, 3.
    const uint16x8_t lanes = vmovl_u8(vld1_u8(kLaneOrders.of[set]));
    const uint32x4_t bytes_of_lane = vdupq_n_u32(0x03020100);
    const auto moved = [&](uint16x4_t four) __attribute__((always_inline)) {
      const uint32x4_t places = vmlaq_n_u32(bytes_of_lane, vmovl_u16(four), 0x04040404);
      return vreinterpretq_s32_u8(vqtbl2q_u8(table, vreinterpretq_u8_u32(places)));
    };
    store_i(p, {moved(vget_low_u16(lanes)), moved(vget_high_u16(lanes))});
  }
};
