// Dot products of bytes by one instruction.
#pragma once

struct DotProducts {
  static int8x16_t add(int8x16_t sum, int8x16_t w, int8x16_t x) {
    return vreinterpretq_s8_s32(vdotq_s32(vreinterpretq_s32_s8(sum), w, x));
  }
};
