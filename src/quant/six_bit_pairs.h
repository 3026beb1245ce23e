// The scales and offsets of q4_k and q5_k: eight of each, of six bits, in 12 bytes.
#pragma once

#include <cstdint>

namespace skald {

struct SixBitPairs {
  uint8_t bytes[12];  // six bits of the first four scales, of the first four offsets; the others' upper bits are above these

  static SixBitPairs of(const int (&scales)[8], const int (&offsets)[8]) {
    SixBitPairs out{};
    for (int i = 0; i < 4; ++i) {
      out.bytes[i] = static_cast<uint8_t>(scales[i] | scales[i + 4] >> 4 << 6);
      out.bytes[i + 4] = static_cast<uint8_t>(offsets[i] | offsets[i + 4] >> 4 << 6);
      out.bytes[i + 8] = static_cast<uint8_t>((scales[i + 4] & 15) | (offsets[i + 4] & 15) << 4);
    }
    return out;
  }

  /// 0 to 63.
  int scale(int i) const { return i < 4 ? bytes[i] & 63 : (bytes[i + 4] & 15) | (bytes[i - 4] >> 6) << 4; }
  int offset(int i) const { return i < 4 ? bytes[i + 4] & 63 : (bytes[i + 4] >> 4) | (bytes[i] >> 6) << 4; }
};

}  // namespace skald
