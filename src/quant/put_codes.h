// How encoders put codes, one to a byte, where several formats want them.
#pragma once

#include <cstdint>

namespace skald {

/// Element i < 16: low nibble of q[i]; the others: high nibbles. The fifth bit of element i: bit i % 8 of high[i / 8].
inline void put_five_bits(const uint8_t (&codes)[32], uint8_t (&q)[16], uint8_t (&high)[4]) {
  for (int i = 0; i < 16; ++i) q[i] = static_cast<uint8_t>((codes[i] & 15) | (codes[i + 16] & 15) << 4);
  for (int byte = 0; byte < 4; ++byte) {
    int bits = 0;
    for (int i = 0; i < 8; ++i) bits |= codes[byte * 8 + i] >> 4 << i;
    high[byte] = static_cast<uint8_t>(bits);
  }
}

/// Element i: bits 2 * (i / 32 % 4) of q[i / 128 * 32 + i % 32].
inline void put_two_bits(const uint8_t (&codes)[256], uint8_t (&q)[64]) {
  for (int i = 0; i < 64; ++i) {
    const uint8_t* from = codes + i / 32 * 128 + i % 32;
    q[i] = static_cast<uint8_t>(from[0] | from[32] << 2 | from[64] << 4 | from[96] << 6);
  }
}

/// The lower four bits: those of element i of 32 in the low nibbles of q[32 * j + i], of the 32 after it in the high
/// nibbles.
inline void put_nibble_pairs(const uint8_t (&codes)[256], uint8_t (&q)[128]) {
  for (int i = 0; i < 128; ++i) {
    const uint8_t* from = codes + i / 32 * 64 + i % 32;
    q[i] = static_cast<uint8_t>((from[0] & 15) | (from[32] & 15) << 4);
  }
}

}  // namespace skald
