// Sets of Unicode characters as sorted ranges, and how they are spelled in UTF-8.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace skald {

/// All code points from `first` to `last`, both included.
struct CodePointRange {
  uint32_t first, last;
  friend bool operator==(const CodePointRange&, const CodePointRange&) = default;
};
using CodePoints = std::vector<CodePointRange>;

inline constexpr uint32_t kLastCodePoint = 0x10FFFF;

/// Sorted and merged; surrogates, which no text in UTF-8 has, and what is beyond U+10FFFF are left out.
CodePoints normalized(std::span<const CodePointRange> ranges);
/// Every character that is not in `ranges`.
CodePoints complement_of(std::span<const CodePointRange> ranges);
CodePoints intersection_of(std::span<const CodePointRange> a, std::span<const CodePointRange> b);

/// Encodings of one length whose i-th byte goes from first[i] to last[i], each byte free of the others.
struct Utf8Range {
  int length;  // 1 to 4
  std::array<uint8_t, 4> first, last;
};
/// Calls f for sequences of byte ranges that spell just these characters.
void for_each_utf8_range(std::span<const CodePointRange> ranges, const std::function<void(const Utf8Range&)>& f);

}  // namespace skald
