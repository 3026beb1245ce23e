// Blocks of 32 floats whose encodings were made with quantize() of the gguf Python package 0.19.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "tensor/format.h"

namespace skald::test {

using Block32 = std::array<float, 32>;

inline Block32 block_of(auto&& element) {
  Block32 x;
  for (int i = 0; i < 32; ++i) x[static_cast<size_t>(i)] = element(i);
  return x;
}

inline Block32 ramp() {
  return block_of([](int i) { return static_cast<float>((i * 37 + 11) % 64 - 31) / 8; });
}

/// With a q8_0 scale of 1, all but the last lie halfway between two codes.
inline Block32 ties() {
  return block_of([](int i) { return i == 31 ? 127.0f : static_cast<float>(i) - 15.5f; });
}

inline Block32 negative_largest() {
  return block_of([](int i) { return i == 5 ? -3.0f : static_cast<float>(i * 13 % 32) / 16; });
}

inline Block32 zeros() { return {}; }

inline Block32 large() {
  return block_of([](int i) { return static_cast<float>((i * 29 + 3) % 32 - 16) * 4000; });
}

inline Block32 thirds() {
  return block_of([](int i) { return static_cast<float>(i - 11) / 3; });
}

/// The encoding of one block as hexadecimal digits.
inline std::string encoded(const Format& format, const Block32& x) {
  std::vector<unsigned char> bytes(static_cast<size_t>(format.bytes(32)));
  format.encode(x.data(), bytes.data(), 32);
  std::string out;
  for (const unsigned char b : bytes) {
    out += "0123456789abcdef"[b >> 4];
    out += "0123456789abcdef"[b & 15];
  }
  return out;
}

inline Block32 round_trip(const Format& format, const Block32& x) {
  std::vector<unsigned char> bytes(static_cast<size_t>(format.bytes(32)));
  format.encode(x.data(), bytes.data(), 32);
  Block32 out;
  format.decode(bytes.data(), out.data(), 32);
  return out;
}

}  // namespace skald::test
