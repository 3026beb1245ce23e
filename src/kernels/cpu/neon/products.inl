// Dot products of bytes by long multiplications. Exact: |w| <= 128 and |x| <= 127, so a pair sums to at most 32512 in 16
// bits.
#pragma once

struct LongProducts {
  static int8x16_t add(int8x16_t sum, int8x16_t w, int8x16_t x) {
    const int16x8_t low = vmull_s8(vget_low_s8(w), vget_low_s8(x)), high = vmull_high_s8(w, x);
    return vreinterpretq_s8_s32(vpadalq_s16(vreinterpretq_s32_s8(sum), vpaddq_s16(low, high)));
  }
};
