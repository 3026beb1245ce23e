// Many tokens by panels of small integers: as kernels/generic/packed_int8.inl computes them, bit for bit. SMMLA multiplies
// two rows by two tokens, eight columns each, and adds to their four sums. Bound: the ports of vectors. A block of 32
// columns, 16 rows and 4 tokens takes 64 products and 48 instructions that convert, scale and add.
#pragma once

#include "kernels/generic/packed_int8.inl"

// Weights of 16 rows, two by two, and the numbers of such pairs of rows, each twice.
template <class Kind>
class MatrixWeights : public WeightBlocks<V, Kind, 2, true> {
  static constexpr int kVectors = 2, kPairs = kVectors * V::kWidth / 2;
  using Blocks = WeightBlocks<V, Kind, kVectors, true>;
  using Blocks::codes, Blocks::scales, Blocks::mins;

 public:
  template <class B>
  void load(const PackedMatmulArgs& a, int64_t row, int64_t first, int64_t n) {
    Blocks::template load<B>(a, row, first, n);
    for (int64_t b = 0; b < n; ++b) {
      for (int v = 0; v < kVectors; ++v)
        for (int s = 0; s < kSteps; s += 2) pair_rows(codes[b][v][s][0]);
      for (int part = 0; part < Kind::kParts; ++part) {
        repeat(scales[b][part], scales_[b][part]);
        if constexpr (Kind::kMins) repeat(mins[b][part], mins_[b][part]);
      }
    }
  }

  // n blocks from `first` by all tokens, into a.y (m, kRows).
  void multiply(const PackedMatmulArgs& a, int64_t first, int64_t n) const {
    by_token_tiles<V>(
        a.m, [&]<int NT>(int64_t t) __attribute__((always_inline)) { by_tokens<NT>(a, t, first, n); });
  }

 private:
  using Sums = float32x4_t[kPairs];  // of two rows and two tokens each: the first row's, then the second's

  // Two steps of eight rows: pairs of rows of both steps' columns.
  static void pair_rows(uint8_t* steps) {
    const V::W first = V::load_w(steps), second = V::load_w(steps + sizeof(V::W));
    const auto words = [](int8x16_t x) __attribute__((always_inline)) { return vreinterpretq_s32_s8(x); };
    const auto pairs = [&](int8x16_t a, int8x16_t b) __attribute__((always_inline)) {
      return Bytes{vreinterpretq_s8_s32(vzip1q_s32(words(a), words(b))),
                   vreinterpretq_s8_s32(vzip2q_s32(words(a), words(b)))};
    };
    V::store_w(steps, pairs(first.low, second.low));
    V::store_w(steps + sizeof(V::W), pairs(first.high, second.high));
  }
  static void repeat(const float (&of_rows)[2 * kPairs], float (&out)[kPairs][4]) {
    for (int i = 0; i < kPairs; ++i)
      for (int lane = 0; lane < 4; ++lane) out[i][lane] = of_rows[2 * i + lane / 2];
  }

  // The two tokens of a pair; a last one without a partner is its own.
  template <int NT>
  static constexpr int second(int pair) {
    return 2 * pair + 1 < NT ? 2 * pair + 1 : 2 * pair;
  }

  // NT tokens from t on.
  template <int NT>
  [[gnu::noinline]] void by_tokens(const PackedMatmulArgs& a, int64_t t, int64_t first, int64_t n) const {
    constexpr int NP = (NT + 1) / 2;
    const QuantRows<NT> x(a, t);
    float* y = a.y + t * a.y_stride;
    Sums sums[NP];
#pragma GCC unroll 2
    for (int p = 0; p < NP; ++p) load_sums(y + 2 * p * a.y_stride, y + second<NT>(p) * a.y_stride, first == 0, sums[p]);
    for (int64_t b = 0; b < n; ++b) {
      const QuantBlock<NT> block(x, first + b);
      add_part<NT, 0>(block, b, sums);
      if constexpr (Kind::kParts == 2) add_part<NT, 1>(block, b, sums);
      if constexpr (Kind::kMins) add_mins<NT, 0>(block, b, sums);
      if constexpr (Kind::kMins && Kind::kParts == 2) add_mins<NT, 1>(block, b, sums);
    }
#pragma GCC unroll 2
    for (int p = 0; p < NP; ++p) store_sums(sums[p], y + 2 * p * a.y_stride, y + second<NT>(p) * a.y_stride);
  }

  [[gnu::always_inline]] static void load_sums(const float* one, const float* other, bool zero, Sums& sums) {
#pragma GCC unroll 4
    for (int i = 0; i < kPairs; i += 2) {
      const float32x4_t a = zero ? vdupq_n_f32(0) : vld1q_f32(one + 2 * i), b = zero ? a : vld1q_f32(other + 2 * i);
      sums[i] = vzip1q_f32(a, b);
      sums[i + 1] = vzip2q_f32(a, b);
    }
  }
  // The one's come last: where there is no other, these are in its place.
  [[gnu::always_inline]] static void store_sums(const Sums& sums, float* one, float* other) {
#pragma GCC unroll 4
    for (int i = 0; i < kPairs; i += 2) {
      vst1q_f32(other + 2 * i, vuzp2q_f32(sums[i], sums[i + 1]));
      vst1q_f32(one + 2 * i, vuzp1q_f32(sums[i], sums[i + 1]));
    }
  }

  // A number of each of two tokens, twice.
  [[gnu::always_inline]] static float32x4_t of_tokens(float one, float other) {
    const float32x2_t two = vset_lane_f32(other, vdup_n_f32(one), 1);
    return vcombine_f32(two, two);
  }

  // sums += a part's products.
  template <int NT, int kPart>
  [[gnu::always_inline]] void add_part(const QuantBlock<NT>& x, int64_t b, Sums (&sums)[(NT + 1) / 2]) const {
    constexpr int NP = (NT + 1) / 2, kPartSteps = kSteps / Kind::kParts;
    int32x4_t dots[NP][kPairs];
#pragma GCC unroll 2
    for (int p = 0; p < NP; ++p)
#pragma GCC unroll 8
      for (int i = 0; i < kPairs; ++i) dots[p][i] = vdupq_n_s32(0);
#pragma GCC unroll 4
    for (int s = kPart * kPartSteps; s < (kPart + 1) * kPartSteps; s += 2) {
      int8x16_t tokens[NP];
#pragma GCC unroll 2
      for (int p = 0; p < NP; ++p)
        tokens[p] = vcombine_s8(vld1_s8(x.row[2 * p] + x.codes + 4 * s), vld1_s8(x.row[second<NT>(p)] + x.codes + 4 * s));
#pragma GCC unroll 8
      for (int i = 0; i < kPairs; ++i) {
        const auto* rows = reinterpret_cast<const int8_t*>(codes[b][i / 4][s][0]) + i % 4 * 16;
        const int8x16_t w = vld1q_s8(rows);
#pragma GCC unroll 2
        for (int p = 0; p < NP; ++p) dots[p][i] = vmmlaq_s32(dots[p][i], w, tokens[p]);
      }
    }
#pragma GCC unroll 2
    for (int p = 0; p < NP; ++p) {
      const float32x4_t scale = of_tokens(x.scale(2 * p), x.scale(second<NT>(p)));
#pragma GCC unroll 8
      for (int i = 0; i < kPairs; ++i)
        sums[p][i] = vfmaq_f32(sums[p][i], vcvtq_f32_s32(dots[p][i]), vmulq_f32(vld1q_f32(scales_[b][kPart][i]), scale));
    }
  }

  // sums += the addend of a part's weights times the part's activations.
  template <int NT, int kPart>
  [[gnu::always_inline]] void add_mins(const QuantBlock<NT>& x, int64_t b, Sums (&sums)[(NT + 1) / 2]) const {
#pragma GCC unroll 2
    for (int p = 0; p < (NT + 1) / 2; ++p) {
      const float32x4_t total =
          of_tokens(x.template total<Kind::kParts>(2 * p, kPart), x.template total<Kind::kParts>(second<NT>(p), kPart));
#pragma GCC unroll 8
      for (int i = 0; i < kPairs; ++i) sums[p][i] = vfmaq_f32(sums[p][i], vld1q_f32(mins_[b][kPart][i]), total);
    }
  }

  alignas(64) float scales_[Blocks::kDepth][Kind::kParts][kPairs][4];
  alignas(64) float mins_[Kind::kMins ? Blocks::kDepth : 1][Kind::kParts][kPairs][4];
};

template <class B>
void packed_matmul_matrices(const PackedMatmulArgs& a) noexcept {
  a.m <= kFewTokens ? few_tokens_int8<V, B>(a) : by_unpacked_tiles<MatrixWeights<KindOf<B>>, B>(a, a.k / kActQ8Block);
}
