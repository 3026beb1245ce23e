// ByteSet: a set of bytes, 256 bits.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace skald {

class ByteSet {
 public:
  static ByteSet one(uint8_t byte) { return range(byte, byte); }
  /// All bytes from `first` to `last`, both included.
  static ByteSet range(uint8_t first, uint8_t last) {
    ByteSet out;
    for (unsigned b = first; b <= last; ++b) out.add(static_cast<uint8_t>(b));
    return out;
  }
  static ByteSet all() { return range(0, 255); }

  void add(uint8_t byte) { words_[byte / 64] |= uint64_t{1} << byte % 64; }
  bool has(uint8_t byte) const { return words_[byte / 64] >> byte % 64 & 1; }
  bool empty() const { return (words_[0] | words_[1] | words_[2] | words_[3]) == 0; }
  int count() const {
    int sum = 0;
    for (const uint64_t word : words_) sum += std::popcount(word);
    return sum;
  }
  /// The lowest byte; 0 of an empty set.
  uint8_t first() const {
    for (size_t i = 0; i < words_.size(); ++i) {
      if (words_[i] != 0) return static_cast<uint8_t>(i * 64 + static_cast<size_t>(std::countr_zero(words_[i])));
    }
    return 0;
  }
  size_t hash() const {
    uint64_t h = 0;
    for (const uint64_t word : words_) h = (h ^ word) * 0x9E3779B97F4A7C15u, h ^= h >> 32;
    return static_cast<size_t>(h);
  }

  friend ByteSet operator|(ByteSet a, const ByteSet& b) {
    for (size_t i = 0; i < a.words_.size(); ++i) a.words_[i] |= b.words_[i];
    return a;
  }
  friend ByteSet operator&(ByteSet a, const ByteSet& b) {
    for (size_t i = 0; i < a.words_.size(); ++i) a.words_[i] &= b.words_[i];
    return a;
  }
  friend ByteSet operator~(ByteSet a) {
    for (uint64_t& word : a.words_) word = ~word;
    return a;
  }
  friend bool operator==(const ByteSet&, const ByteSet&) = default;

 private:
  std::array<uint64_t, 4> words_{};
};

}  // namespace skald
