// Pairs of registers, of 128 bits each: vectors of eight lanes of 32 bits, as many as the generic kernels want at least.
// There are 16 pairs.
#pragma once

struct Floats {
  float32x4_t low, high;
};

// 32 bytes, or eight integers.
struct Bytes {
  int8x16_t low, high;
};

[[gnu::always_inline]] inline Bytes both(int8x16_t x) { return {x, x}; }

// A register of four vectors: four by four lanes.
[[gnu::always_inline]] inline void transpose_register(Bytes (&m)[4], int8x16_t Bytes::*half) {
  const auto word = [&](int i) __attribute__((always_inline)) { return vreinterpretq_s32_s8(m[i].*half); };
  const auto pair = [](int32x4_t x) __attribute__((always_inline)) { return vreinterpretq_s64_s32(x); };
  const int64x2_t even = pair(vtrn1q_s32(word(0), word(1))), odd = pair(vtrn2q_s32(word(0), word(1)));
  const int64x2_t even2 = pair(vtrn1q_s32(word(2), word(3))), odd2 = pair(vtrn2q_s32(word(2), word(3)));
  m[0].*half = vreinterpretq_s8_s64(vtrn1q_s64(even, even2));
  m[1].*half = vreinterpretq_s8_s64(vtrn1q_s64(odd, odd2));
  m[2].*half = vreinterpretq_s8_s64(vtrn2q_s64(even, even2));
  m[3].*half = vreinterpretq_s8_s64(vtrn2q_s64(odd, odd2));
}

// A register of four vectors: four bytes, one of each, in each lane, in order.
[[gnu::always_inline]] inline void interleave_register(Bytes (&m)[4], int8x16_t Bytes::*half) {
  const auto pairs = [&](int8x16_t x) __attribute__((always_inline)) { return vreinterpretq_s16_s8(x); };
  const int8x16_t a = m[0].*half, b = m[1].*half, c = m[2].*half, d = m[3].*half;
  const int16x8_t low = pairs(vzip1q_s8(a, b)), high = pairs(vzip2q_s8(a, b));
  const int16x8_t low2 = pairs(vzip1q_s8(c, d)), high2 = pairs(vzip2q_s8(c, d));
  m[0].*half = vreinterpretq_s8_s16(vzip1q_s16(low, low2));
  m[1].*half = vreinterpretq_s8_s16(vzip2q_s16(low, low2));
  m[2].*half = vreinterpretq_s8_s16(vzip1q_s16(high, high2));
  m[3].*half = vreinterpretq_s8_s16(vzip2q_s16(high, high2));
}
