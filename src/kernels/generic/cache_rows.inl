// Rows of the cache as floats, from any format.
#pragma once

#include "kernels/generic/elementwise.inl"
#include "kernels/generic/prefetch.inl"

template <class V>
[[gnu::always_inline]] inline typename V::F load_block(const BlockI8* p) {
  return V::load_i8_floats(&p->x);
}

template <class V>
[[gnu::always_inline]] inline typename V::F load_block(const BlockCodeByte* p) {
  return V::load_i8_floats(&p->x);
}

// Codes [i, i + V::kWidth) of 32; i a multiple of V::kWidth.
template <class V>
[[gnu::always_inline]] inline typename V::F load_float_codes(const BlockCodeNibbles& b, int64_t i) {
  return i < 16 ? V::load_low_nibbles(b.q + i % 16) : V::load_high_nibbles(b.q + i % 16);
}

// Values [c, c + V::kWidth) of a row, of blocks their codes; c a multiple of V::kWidth.
template <class V, class B>
[[gnu::always_inline]] inline typename V::F load_unscaled(const std::byte* row, int64_t c) {
  const B* blocks = reinterpret_cast<const B*>(row);
  if constexpr (B::kSize == 1)
    return load_block<V>(blocks + c);
  else
    return load_float_codes<V>(blocks[c / B::kSize], c % B::kSize);
}

// Those values, of blocks with scales codes times these.
template <class V, class B>
[[gnu::always_inline]] inline typename V::F load_columns(const std::byte* row, int64_t c) {
  if constexpr (requires(B block) { block.d; })
    return V::mul(load_unscaled<V, B>(row, c), V::set_half(reinterpret_cast<const B*>(row)[c / B::kSize].d));
  else
    return load_unscaled<V, B>(row, c);
}

// The most heads of a group that attention over the cache passes over together: a key or value becomes floats once for all.
template <class V>
inline constexpr int kHeadsTogether = V::kWidth / 2;

// Registers for the sums of G heads: of many, nearly all. The factors then come from memory.
template <class V, int G>
constexpr int sums_of() {
  return G > 4 ? 7 * V::kWidth / 4 : V::kAccumulators;
}

// Numbers of up to eight heads, one of each at a place that moves on. Two addresses and a distance reach them all: an
// address of each would not fit into the registers, and loads of addresses would take the ports of the numbers.
class HeadNumbers {
 public:
  // The first head's number at `first`, each other head's `stride` floats after the one before.
  [[gnu::always_inline]] HeadNumbers(const float* first, int64_t stride)
      : low_(first), high_(first + 4 * stride), stride_(stride) {
    asm("" : "+r"(high_));  // otherwise the compiler finds an address for each again
  }
  [[gnu::always_inline]] float of(int g, int64_t place) const {
    const float* const base = g < 4 ? low_ : high_;
    return base[g % 4 * stride_ + place];
  }
  [[gnu::always_inline]] void move(int64_t places) {
    low_ += places;
    high_ += places;
  }

 private:
  const float *low_, *high_;
  int64_t stride_;
};

template <int G, class Fn>
[[gnu::always_inline]] inline void pass_rest(int64_t left, int64_t g, Fn fn) {
  if (left == G) return fn.template operator()<G>(g);
  if constexpr (G > 1) pass_rest<G - 1>(left, g, fn);
}

// fn<G>(g) for all heads of a group: for kMost from g on while there are kMost, then for the G that are left.
template <int kMost, class Fn>
[[gnu::always_inline]] inline void pass_over_heads(int64_t group, Fn fn) {
  int64_t g = 0;
  for (; g + kMost <= group; g += kMost) fn.template operator()<kMost>(g);
  if constexpr (kMost > 1) pass_rest<kMost - 1>(group - g, g, fn);
}

// Vectors of a page's keys that a pass takes for G heads: a power of two.
template <class V, int G>
constexpr int key_vectors() {
  constexpr int kAll = static_cast<int>(kPageKeys) / V::kWidth, kFit = sums_of<V, G>() / G;
  return kFit >= kAll ? kAll : kFit >= 4 ? 4 : kFit >= 2 ? 2 : 1;
}

// Bytes of d values.
template <class B>
constexpr int64_t row_size(int64_t d) {
  return d / B::kSize * static_cast<int64_t>(sizeof(B));
}

// The last n < V::kWidth values from c on, zeros after them. Only formats without blocks have such an end.
template <class V, class B>
[[gnu::always_inline]] inline typename V::F load_last_columns(const std::byte* row, int64_t c, int64_t n) {
  alignas(64) B tail[V::kWidth] = {};
  if constexpr (B::kSize == 1) std::memcpy(tail, reinterpret_cast<const B*>(row) + c, static_cast<size_t>(n) * sizeof(B));
  return load_columns<V, B>(reinterpret_cast<const std::byte*>(tail), 0);
}

// How many bytes ahead the cache is asked for: the same for keys as for values (32 rows of 128 halves). They follow each
// other: no byte between them is left out or asked for twice.
inline constexpr int64_t kCacheAhead = 8192;

// How many rows about as many bytes are.
template <class B>
[[gnu::always_inline]] inline int64_t rows_ahead(int64_t d) {
  const int64_t size = row_size<B>(d), rows = kCacheAhead / (size > 0 ? size : 1);
  return rows < 4 ? 4 : rows > kRowsAhead ? kRowsAhead : rows;
}

// Asks for the bytes [from, to) of a row.
[[gnu::always_inline]] inline void prefetch_row(const std::byte* row, int64_t from, int64_t to) {
#pragma GCC unroll 4
  for (int64_t byte = from; byte < to; byte += 64) __builtin_prefetch(row + byte);
}

// The next page, asked for in equal steps while this one is worked on: in V::kPageStreams parts side by side.
template <class V>
struct PageAhead {
  int64_t part, share;  // bytes, the latter of each part at a step
  const std::byte* at;

  [[gnu::always_inline]] inline PageAhead(const NextPage& page, int64_t steps)
      : part((page.bytes / V::kPageStreams + 63) / 64 * 64),
        share((part + steps - 1) / (steps > 0 ? steps : 1)),
        at(page.first) {}

  // A step that works on this many bytes. Where the next page is larger than this one, not all of it is asked for.
  template <int64_t kBytes>
  [[gnu::always_inline]] inline void ask() {
#pragma GCC unroll 4
    for (int64_t byte = 0; byte < kBytes / V::kPageStreams; byte += 64) ask_line(byte);
    at += share;
  }
  [[gnu::always_inline]] inline void ask() {
#pragma GCC unroll 4
    for (int64_t byte = 0; byte < share; byte += 64) ask_line(byte);
    at += share;
  }

 private:
  [[gnu::always_inline]] inline void ask_line(int64_t byte) const {
#pragma GCC unroll 4
    for (int s = 0; s < V::kPageStreams; ++s) ask_for<V>(at + s * part + byte);
  }
};

// How many steps of kBytes are done at once, so that a line is asked for in each stream.
template <class V, int64_t kBytes>
constexpr int steps_together() {
  return kBytes > 0 && kBytes < 64 * V::kPageStreams ? 2 : 1;
}

// Whether the next bytes are asked for by pages.
template <class V>
[[gnu::always_inline]] inline bool asks_for(const NextPage& page) {
  return V::kAsksForPages && page.bytes > 0;
}
