// 32 bytes in a pair of registers, and their dot products by Products: shared by all tiers of 64-bit Arm with such pairs.
#pragma once

#include "kernels/cpu/neon/pairs.inl"

// Sums of a block's products of weights, as signed bytes, with activations. `start` is -128 times the sum of the latter.
template <class Int8, int kOffset, int kMaxCode>
struct SignedDot {
  using Sum = typename Int8::W;
  static constexpr bool kFlips = kMaxCode > 127;  // codes of eight bits become signed ones by a subtraction
  static_assert(!kFlips || kOffset == 128);
  static Sum start(int32_t start) {
    if constexpr (kOffset == 0 || kFlips) return Int8::zero_w();
    return Int8::set1_shifted(start, __builtin_ctz(128 / (kOffset ? kOffset : 1)));
  }
  template <class Activations>
  static Sum dot(Sum sum, Sum w, Activations x) {
    return Int8::add_products(sum, kFlips ? Int8::less(w, 128) : w, x);
  }
  // Weights that are signed as they lie.
  struct Signed {
    Sum codes;
  };
  static Signed keep_signs(Sum codes) { return {codes}; }
  template <class Activations>
  static Sum dot(Sum sum, const Signed& w, Activations x) {
    return Int8::add_products(sum, w.codes, x);
  }
  static auto finish(Sum sum, int32_t) { return Int8::floats(sum); }
};

template <class Products>
struct Int8Neon {
  using I8 = Bytes;
  using D = Floats;  // eight partial sums as floats

  static I8 load_i8(const int8_t* p) { return load_w(p); }
  // 16 bytes: low nibbles are codes 0..15, high nibbles 16..31.
  static I8 load_nibbles(const uint8_t* p) {
    const uint8x16_t bytes = vld1q_u8(p);
    return {vreinterpretq_s8_u8(vandq_u8(bytes, vdupq_n_u8(15))), vreinterpretq_s8_u8(vshrq_n_u8(bytes, 4))};
  }
  static I8 minus_8(I8 x) { return less(x, 8); }
  static I8 abs(I8 w) { return {vabsq_s8(w.low), vabsq_s8(w.high)}; }
  static D dot(I8, I8 w, I8 a) { return floats(add_products(zero_w(), w, a)); }
  // Eight blocks' scales, a lane each.
  static D scales(const uint16_t (&halves)[8]) { return load_halves(halves); }
  // A block's scale in all lanes.
  static D scale(uint16_t half) {
    const float32x4_t x = vcvt_f32_f16(vreinterpret_f16_u16(vdup_n_u16(half)));
    return {x, x};
  }
  static D load_halves(const void* p) {
    const float16x8_t x = vreinterpretq_f16_u16(vld1q_u16(static_cast<const uint16_t*>(p)));
    return {vcvt_f32_f16(vget_low_f16(x)), vcvt_high_f32_f16(x)};
  }
  static D d_load(const float* p) { return {vld1q_f32(p), vld1q_f32(p + 4)}; }
  static void d_store(float* p, D x) {
    vst1q_f32(p, x.low);
    vst1q_f32(p + 4, x.high);
  }
  static D d_zero() { return {vdupq_n_f32(0), vdupq_n_f32(0)}; }
  static D add_scaled(D dot, D w_scale, float x_scale, D sum) {
    return {vfmaq_f32(sum.low, dot.low, vmulq_n_f32(w_scale.low, x_scale)),
            vfmaq_f32(sum.high, dot.high, vmulq_n_f32(w_scale.high, x_scale))};
  }
  static float d_sum(D x, D y) {
    const float32x4_t four = vaddq_f32(vaddq_f32(x.low, y.low), vaddq_f32(x.high, y.high));
    return vaddvq_f32(four);
  }

  // Panels: vectors of 8 rows by 4 columns of unsigned weights, and 4 activations in all lanes.
  using W = Bytes;
  static constexpr int kTileTokens = 4;
  static constexpr int kStreams = 1;             // panels that few tokens read side by side
  static constexpr bool kAsksForPanels = false;  // few tokens' passes over single panels: for the next panel too
  static W load_w(const void* p) {
    return {vld1q_s8(static_cast<const int8_t*>(p)), vld1q_s8(static_cast<const int8_t*>(p) + 16)};
  }
  static void store_w(void* p, W x) {
    vst1q_s8(static_cast<int8_t*>(p), x.low);
    vst1q_s8(static_cast<int8_t*>(p) + 16, x.high);
  }
  static W zero_w() { return {vdupq_n_s8(0), vdupq_n_s8(0)}; }
  static W set1_w(int32_t x) { return both(vreinterpretq_s8_s32(vdupq_n_s32(x))); }
  static W set1_shifted(int32_t x, int right) { return both(vreinterpretq_s8_s32(vdupq_n_s32(x) >> right)); }
  static W low_nibbles(W x) { return bits(x, 0, 15); }
  static W high_nibbles(W x) { return bits(x, 4, 15); }
  // (x >> right) & mask of each byte; to the left where `right` is negative.
  static W bits(W x, int right, int mask) {
    const auto of = [&](int8x16_t half) __attribute__((always_inline)) {
      const uint8x16_t codes = vreinterpretq_u8_s8(half);
      const uint8x16_t shifted = right > 0   ? codes >> static_cast<uint8_t>(right)
                                 : right < 0 ? codes << static_cast<uint8_t>(-right)
                                             : codes;
      return vreinterpretq_s8_u8(vandq_u8(shifted, vdupq_n_u8(static_cast<uint8_t>(mask))));
    };
    return {of(x.low), of(x.high)};
  }
  static W either(W a, W b) { return {vorrq_s8(a.low, b.low), vorrq_s8(a.high, b.high)}; }
  static W lookup(const uint8_t (&levels)[16], W numbers) {
    const int8x16_t table = vreinterpretq_s8_u8(vld1q_u8(levels));
    return {vqtbl1q_s8(table, vreinterpretq_u8_s8(numbers.low)), vqtbl1q_s8(table, vreinterpretq_u8_s8(numbers.high))};
  }
  static W less(W codes, int offset) {
    const int8x16_t all = vdupq_n_s8(static_cast<int8_t>(offset));
    return {vsubq_s8(codes.low, all), vsubq_s8(codes.high, all)};
  }
  // 16 bytes of each.
  static W load_beside(const void* a, const void* b) {
    return {vld1q_s8(static_cast<const int8_t*>(a)), vld1q_s8(static_cast<const int8_t*>(b))};
  }
  // Within each half, four by four lanes.
  static void transpose_halves(W (&m)[4]) {
    transpose_register(m, &W::low);
    transpose_register(m, &W::high);
  }

  // Pages of 64 codes of four bits in columns.
  static constexpr int kPages = 1;
  static constexpr bool kWideSums = false;  // sums are wide, but a high half where it lies would be a negative byte
  static W load_page_nibbles(const void* page) { return load_w(page); }
  static W set_pages(const int32_t* of_pages) { return set1_w(*of_pages); }
  // Of keys 0 to 3 and 16 to 19, then 4 to 7 and 20 to 23, and so on.
  static void order_pages(W (&sums)[4]) {
    const W first = sums[0], second = sums[1], third = sums[2], fourth = sums[3];
    sums[0] = {first.low, second.low};
    sums[1] = {third.low, fourth.low};
    sums[2] = {first.high, second.high};
    sums[3] = {third.high, fourth.high};
  }
  static void interleave_fours(W (&m)[4]) {
    interleave_register(m, &W::low);
    interleave_register(m, &W::high);
  }
  static W low_bytes(const Floats (&x)[4]) {
    const auto of = [&](float32x4_t Floats::*half) __attribute__((always_inline)) {
      const auto byte = [&](int i) __attribute__((always_inline)) { return vreinterpretq_u8_f32(x[i].*half); };
      // The lowest bytes of four words each, of two registers beside each other.
      const uint8x16_t even = vtrn1q_u8(byte(0), byte(1)), odd = vtrn1q_u8(byte(2), byte(3));
      return vreinterpretq_s8_u16(vtrn1q_u16(vreinterpretq_u16_u8(even), vreinterpretq_u16_u8(odd)));
    };
    return {of(&Floats::low), of(&Floats::high)};
  }

  // Sums stay in registers: 32 of them hold a tile's.
  static void pin(W& sum) { asm("" : "+w"(sum.low), "+w"(sum.high)); }
  static void step_done() {}

  // sum + the products of four bytes each, in lanes of 32 bits.
  static W add_products(W sum, W w, W x) {
    return {Products::add(sum.low, w.low, x.low), Products::add(sum.high, w.high, x.high)};
  }
  static Floats floats(W x) {
    return {vcvtq_f32_s32(vreinterpretq_s32_s8(x.low)), vcvtq_f32_s32(vreinterpretq_s32_s8(x.high))};
  }

  template <int kOffset, int kMaxCode>
  using Dot = SignedDot<Int8Neon, kOffset, kMaxCode>;
};
