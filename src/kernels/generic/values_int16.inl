// Weighted sums of values in blocks of small integers for groups of query heads. They are for tiers whose V puts bytes of
// two rows side by side as pairs of 16 bits. See ValuesArgs. A pair meets two weights in one instruction, twice the products
// that floats have. Weights take over their blocks' scales and keep 15 bits below the largest of a head, a block of columns
// and up to kPageKeys rows. Sums over these rows are exact. Bound: the starts of vector instructions: on Zen 3 16 of them,
// with 128 products, take 5.2 cycles. The heads' shared work, codes side by side, is a fifth of the time for four heads.
#pragma once

#include "kernels/generic/values.inl"

// Fewer heads are faster with floats, and as fast as memory.
inline constexpr int64_t kHeadsForInt16 = 3;
inline constexpr float kMostWeight = 32767.0f;  // kPageKeys products with bytes are within the range of int32_t

// Scales of up to kPageKeys rows in kBlocks blocks of columns; 0 of rows that are not there.
template <class V, class B>
struct ValueScales {
  static constexpr int64_t kBlocks = 4, kRows = V::kWidth;  // rows: that change places with blocks together
  alignas(64) float of[kBlocks][kPageKeys];

  [[gnu::always_inline]] void load(const std::byte* const* row, int64_t n, int64_t first, int64_t blocks) {
    for (int64_t i = 0; i < kPageKeys; i += kRows)
      if (i + kRows <= n && blocks == kBlocks)
        load_rows(row + i, kRows, first, kBlocks, i);
      else
        load_rows(row + i, n - i, first, blocks, i);
  }

 private:
  // Of up to kRows rows, those from `to` on.
  [[gnu::always_inline]] void load_rows(const std::byte* const* row, int64_t n, int64_t first, int64_t blocks, int64_t to) {
    alignas(64) uint64_t words[kRows];
#pragma GCC unroll 16
    for (int64_t i = 0; i < kRows; ++i) {
      uint64_t& word = words[i % 4 * (kRows / 4) + i / 4];  // rows i, i + 4 ... side by side
      word = 0;
      if (i >= n) continue;
      const B* block = reinterpret_cast<const B*>(row[i]) + first;
#pragma GCC unroll 4
      for (int64_t b = 0; b < kBlocks; ++b)
        if (b < blocks) word |= static_cast<uint64_t>(block[b].d) << 16 * b;
    }
    typename V::F x[kBlocks];
#pragma GCC unroll 4
    for (int k = 0; k < kBlocks; ++k) x[k] = V::load_f16(words + k * (kRows / 4));
    V::transpose_fours(x);
#pragma GCC unroll 4
    for (int b = 0; b < kBlocks; ++b) V::store(of[b] + to, x[b]);
  }
};

// A head's weights of kPageKeys rows in kBlocks blocks of columns: unit * code.
template <class V, class B>
struct ValueWeights {
  static constexpr int64_t kBlocks = ValueScales<V, B>::kBlocks;
  alignas(64) int16_t codes[kBlocks][kPageKeys];
  float unit[kBlocks];

  // Of the first `blocks` of them.
  [[gnu::always_inline]] void set(const float* p, const ValueScales<V, B>& scales, int64_t blocks) {
    const auto weights = [&](int64_t b, int64_t i) __attribute__((always_inline)) {
      return V::mul(V::load(p + i), V::load(scales.of[b] + i));
    };
    alignas(64) float inverse[kBlocks];
    for (int64_t b = 0; b < blocks; ++b) {
      typename V::F largest = V::zero();
#pragma GCC unroll 8
      for (int64_t i = 0; i < kPageKeys; i += V::kWidth) largest = V::max_magnitude(largest, weights(b, i));
      const float top = largest_of_finite<V>(largest);
      unit[b] = top * (1 / kMostWeight);
      inverse[b] = top >= __FLT_MIN__ * kMostWeight ? kMostWeight / top : 0.0f;
    }
    for (int64_t b = 0; b < blocks; ++b) {
      const typename V::F factor = V::set1(inverse[b]);
#pragma GCC unroll 4
      for (int64_t i = 0; i < kPageKeys; i += 2 * V::kWidth)
        V::store_i16(codes[b] + i, V::mul(weights(b, i), factor), V::mul(weights(b, i + V::kWidth), factor));
    }
  }
  [[gnu::always_inline]] typename V::W pair(int64_t b, int64_t i) const {
    int32_t two;
    std::memcpy(&two, codes[b] + 2 * i, sizeof two);
    return V::set1_w(two);
  }
};

// Up to kPageKeys rows' codes in a block of columns, two rows side by side; they serve all heads.
template <class V, class B>
struct PairedCodes {
  static constexpr int kVectors = B::kSize / V::kWidth;
  alignas(64) typename V::W of[kPageKeys / 2][kVectors];  // in V's order of columns

  // A last row without a partner is its own: the weight of that is zero.
  template <class Ahead>
  [[gnu::always_inline]] void load(const std::byte* const* row, int64_t n, int64_t b, Ahead& ahead) {
    const auto codes = [&](int64_t i) __attribute__((always_inline)) {
      return load_codes<V>(reinterpret_cast<const B*>(row[i])[b]);
    };
    Ahead own = ahead;  // in registers
    int64_t i = 0;
    for (; i + 2 <= n; i += 2) {
      if constexpr (!Ahead::kInOrder)
        own.template ask<static_cast<int64_t>(sizeof(B)), 2>(row + i, b * static_cast<int64_t>(sizeof(B)));
      V::pair_bytes(codes(i), codes(i + 1), of[i / 2]);
    }
    if (i < n) V::pair_bytes(codes(i), codes(i), of[i / 2]);
    ahead = own;
  }
};

// out[h] += a block's products, for H heads.
template <class V, class B, int H, class Ahead>
[[gnu::always_inline]] inline void add_products(const PairedCodes<V, B>& codes, const ValueWeights<V, B>* weights, int64_t b,
                                                int64_t n, float* out, int64_t out_stride, Ahead& ahead) {
  constexpr int N = PairedCodes<V, B>::kVectors;
  typename V::W sums[H][N];
#pragma GCC unroll 8
  for (int h = 0; h < H; ++h)
#pragma GCC unroll 4
    for (int v = 0; v < N; ++v) sums[h][v] = V::set1_w(0);
  const auto add_pair = [&](int64_t i) __attribute__((always_inline)) {
    typename V::W weight[H];
#pragma GCC unroll 8
    for (int h = 0; h < H; ++h) weight[h] = weights[h].pair(b, i);
#pragma GCC unroll 4
    for (int v = 0; v < N; ++v) {
      typename V::W x = codes.of[i][v];
      V::pin(x);  // loaded once for all heads
#pragma GCC unroll 8
      for (int h = 0; h < H; ++h) {
        sums[h][v] = V::dot_pairs(sums[h][v], x, weight[h]);
        V::pin(sums[h][v]);
      }
    }
  };
  const int64_t pairs = (n + 1) / 2;
  Ahead own = ahead;  // in registers
  int64_t i = 0;
  for (; i + 2 <= pairs; i += 2) {
    if constexpr (Ahead::kInOrder) own.page.ask();
    add_pair(i);
    add_pair(i + 1);
  }
  if (i < pairs) add_pair(i);
  ahead = own;
#pragma GCC unroll 8
  for (int h = 0; h < H; ++h) {
    V::order_columns(sums[h]);
    const typename V::F unit = V::set1(weights[h].unit[b]);
#pragma GCC unroll 4
    for (int v = 0; v < N; ++v) {
      float* to = out + h * out_stride + v * V::kWidth;
      V::store(to, V::fma(V::floats(sums[h][v]), unit, V::load(to)));
    }
  }
}

// The most heads whose sums fit into registers beside a pair of rows.
template <class V, class B>
inline constexpr int kHeadsOfPairs = V::kAccumulators / PairedCodes<V, B>::kVectors;

// Some rows, up to kPageKeys, ValueScales::kBlocks blocks of columns and kHeads heads at a time: they leave room in L1 for
// the rows and for prefetched bytes.
template <class V, class B>
struct ValueBlocks {
  static constexpr int64_t kBlocks = ValueScales<V, B>::kBlocks, kHeads = 8;
  ValueScales<V, B> scales;
  PairedCodes<V, B> codes;
  ValueWeights<V, B> weights[kHeads];

  [[gnu::always_inline]] void set_weights(const float* p, int64_t n, int64_t blocks, ValueWeights<V, B>& to) const {
    if (n == kPageKeys) return to.set(p, scales, blocks);
    alignas(64) float filled_up[kPageKeys] = {};
    std::memcpy(filled_up, p, static_cast<size_t>(n) * sizeof(float));
    to.set(filled_up, scales, blocks);
  }

  // The rows [begin, begin + n) and `heads` of a group from g on.
  template <class Ahead>
  [[gnu::always_inline]] void add_heads(const ValuesArgs& a, int64_t begin, int64_t n, int64_t g, int64_t heads,
                                        int64_t first, int64_t blocks, Ahead& ahead) {
    for (int64_t h = 0; h < heads; ++h) set_weights(a.p + (g + h) * a.p_stride + begin, n, blocks, weights[h]);
    for (int64_t b = 0; b < blocks; ++b) {
      codes.load(a.rows + begin, n, first + b, ahead);
      float* out = a.out + g * a.out_stride + (first + b) * B::kSize;
      pass_over_heads<kHeadsOfPairs<V, B>>(
          heads, [&]<int H>(int64_t h) __attribute__((always_inline)) {
            add_products<V, B, H>(codes, weights + h, b, n, out + h * a.out_stride, a.out_stride, ahead);
          });
    }
  }

  template <class Ahead>
  [[gnu::always_inline]] void add(const ValuesArgs& a, int64_t begin, int64_t n, Ahead& ahead) {
    const int64_t all = a.d / B::kSize;
    for (int64_t first = 0; first < all; first += kBlocks) {
      const int64_t blocks = all - first < kBlocks ? all - first : kBlocks;
      scales.load(a.rows + begin, n, first, blocks);
      for (int64_t g = 0; g < a.group; g += kHeads)
        add_heads(a, begin, n, g, a.group - g < kHeads ? a.group - g : kHeads, first, blocks, ahead);
    }
  }
};

template <class V, class B>
void values_int16(const ValuesArgs& a) noexcept {
  if (a.group < kHeadsForInt16) return values<V, B>(a);
  ValueBlocks<V, B> blocks;
  const auto add_all = [&](auto ahead) __attribute__((always_inline)) {
    for (int64_t i = 0; i < a.n; i += kPageKeys) blocks.add(a, i, i + kPageKeys < a.n ? kPageKeys : a.n - i, ahead);
  };
  constexpr int64_t H = kHeadsOfPairs<V, B>;
  static_assert(ValueBlocks<V, B>::kHeads % H == 0);
  const int64_t passes = (a.group + H - 1) / H;
  if (asks_for<V>(a.next))
    add_all(PageAfterRows<V>{{a.next, passes * (a.d / B::kSize) * ((a.n + 1) / 4)}});
  else
    add_all(RowsAhead());
}
