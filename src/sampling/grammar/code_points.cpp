#include "sampling/grammar/code_points.h"

#include <algorithm>

namespace skald {

namespace {

constexpr uint32_t kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;

void add_without_surrogates(CodePoints& out, uint32_t first, uint32_t last) {
  last = std::min(last, kLastCodePoint);
  if (first < kFirstSurrogate && first <= last) out.push_back({first, std::min(last, kFirstSurrogate - 1)});
  first = std::max(first, kLastSurrogate + 1);
  if (first <= last) out.push_back({first, last});
}

int length_of(uint32_t code) { return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4; }

constexpr uint32_t kLastOfLength[] = {0, 0x7F, 0x7FF, 0xFFFF, kLastCodePoint};

// A range of characters whose encodings all have `length` bytes is cut until the bytes are free of each other: after a byte
// that varies, every continuation must run from its first to its last.
void split(uint32_t first, uint32_t last, int length, const std::function<void(const Utf8Range&)>& f) {
  for (int tail = length - 1; tail > 0; --tail) {
    const uint32_t mask = (uint32_t{1} << 6 * tail) - 1;
    if ((first & ~mask) == (last & ~mask)) continue;
    if ((first & mask) != 0) {
      split(first, first | mask, length, f);
      split((first | mask) + 1, last, length, f);
      return;
    }
    if ((last & mask) != mask) {
      split(first, (last & ~mask) - 1, length, f);
      split(last & ~mask, last, length, f);
      return;
    }
  }
  Utf8Range out{.length = length, .first = {}, .last = {}};
  constexpr uint32_t kLead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  for (int i = 0; i < length; ++i) {
    const int shift = 6 * (length - 1 - i);
    const uint32_t head = i == 0 ? kLead[length] : 0x80, bits = i == 0 ? 0x7F : 0x3F;
    out.first[static_cast<size_t>(i)] = static_cast<uint8_t>(head | (first >> shift & bits));
    out.last[static_cast<size_t>(i)] = static_cast<uint8_t>(head | (last >> shift & bits));
  }
  f(out);
}

}  // namespace

CodePoints normalized(std::span<const CodePointRange> ranges) {
  CodePoints sorted;
  for (const CodePointRange& range : ranges) add_without_surrogates(sorted, range.first, range.last);
  std::ranges::sort(sorted, {}, &CodePointRange::first);
  CodePoints out;
  for (const CodePointRange& range : sorted) {
    if (!out.empty() && range.first <= out.back().last + 1) {
      out.back().last = std::max(out.back().last, range.last);
    } else {
      out.push_back(range);
    }
  }
  return out;
}

CodePoints complement_of(std::span<const CodePointRange> ranges) {
  CodePoints out;
  uint32_t next = 0;
  for (const CodePointRange& range : normalized(ranges)) {
    if (range.first > next) add_without_surrogates(out, next, range.first - 1);
    next = range.last + 1;
  }
  if (next <= kLastCodePoint) add_without_surrogates(out, next, kLastCodePoint);
  return out;
}

CodePoints intersection_of(std::span<const CodePointRange> a, std::span<const CodePointRange> b) {
  CodePoints outside = complement_of(a);
  const CodePoints more = complement_of(b);
  outside.insert(outside.end(), more.begin(), more.end());
  return complement_of(outside);
}

void for_each_utf8_range(std::span<const CodePointRange> ranges, const std::function<void(const Utf8Range&)>& f) {
  for (const CodePointRange& range : normalized(ranges)) {
    for (uint32_t first = range.first; first <= range.last;) {
      const int length = length_of(first);
      const uint32_t last = std::min(range.last, kLastOfLength[length]);
      split(first, last, length, f);
      first = last + 1;
    }
  }
}

}  // namespace skald
