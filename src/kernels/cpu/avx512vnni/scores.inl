// Scores of keys of integers, 16 keys at a time: 4 dimensions of each key in a lane, so that lanes become scores without
// sums across them. Products are exact within a block; blocks are added in order. Bound in decode: read bandwidth of K for
// one query head; for groups the two ports of dot products, shuffles and scales. A key of 128 dimensions takes 4.75
// instructions per head, and 12 more per eight heads.
#pragma once

#include "kernels/generic/packed.inl"
#include "kernels/generic/scores.inl"

inline constexpr int kTileKeys = 16, kTileHeads = 8;  // heads: whose sums fit into registers beside a block of keys

// A block of kTileKeys keys as unsigned bytes: of half h, vector j has in lanes 0-3 and 8-11 dimensions 4j to 4j + 3, in the
// others those 16 further. Lanes 0-7 are of keys 8h to 8h + 3, the others of the next four.
template <class B>
[[gnu::always_inline]] inline void load_key_block(const std::byte* const* rows, int64_t b, __m512i (&out)[2][4]) {
  const auto at = [&](int i) __attribute__((always_inline))->const B& { return reinterpret_cast<const B*>(rows[i])[b]; };
#pragma GCC unroll 2
  for (int h = 0; h < 2; ++h) {
    __m512i x[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) x[i] = load_pair<V>(at(8 * h + i), at(8 * h + 4 + i));
    const __m512i low = _mm512_unpacklo_epi32(x[0], x[1]), high = _mm512_unpackhi_epi32(x[0], x[1]);
    const __m512i low2 = _mm512_unpacklo_epi32(x[2], x[3]), high2 = _mm512_unpackhi_epi32(x[2], x[3]);
    out[h][0] = _mm512_unpacklo_epi64(low, low2);
    out[h][1] = _mm512_unpackhi_epi64(low, low2);
    out[h][2] = _mm512_unpacklo_epi64(high, high2);
    out[h][3] = _mm512_unpackhi_epi64(high, high2);
  }
}

template <class B>
[[gnu::always_inline]] inline __m512 load_key_scales(const std::byte* const* rows, int64_t b) {
  const auto d = [&](int i) __attribute__((always_inline)) {
    return static_cast<int16_t>(reinterpret_cast<const B*>(rows[i])[b].d);
  };
  return _mm512_cvtph_ps(_mm256_setr_epi16(d(0), d(1), d(2), d(3), d(4), d(5), d(6), d(7), d(8), d(9), d(10), d(11), d(12),
                                           d(13), d(14), d(15)));
}

// Exact products of such a block with one of a query.
template <class B>
[[gnu::always_inline]] inline __m512 dot_key_block(const __m512i (&keys)[2][4], const int8_t* q, int32_t start) {
  const __m512i both = _mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(q)));
  const __m512i x[4] = {_mm512_shuffle_epi32(both, _MM_PERM_AAAA), _mm512_shuffle_epi32(both, _MM_PERM_BBBB),
                        _mm512_shuffle_epi32(both, _MM_PERM_CCCC), _mm512_shuffle_epi32(both, _MM_PERM_DDDD)};
  __m512i sums[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j)
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) sums[h] = _mm512_dpbusd_epi32(sums[h], keys[h][j], x[j]);
  const __m512i dots =
      _mm512_add_epi32(_mm512_shuffle_i32x4(sums[0], sums[1], 0x88), _mm512_shuffle_i32x4(sums[0], sums[1], 0xdd));
  return _mm512_cvtepi32_ps(_mm512_add_epi32(dots, V::Dot<B::kOffset, 1>::start(start)));
}

// Scores of kTileKeys keys and G heads, of which the keys in `wanted` are stored; before each block, ask(block) is called.
template <class B, int G, class Ask>
[[gnu::always_inline]] inline void score_key_tile(const RowScoresArgs& a, const std::byte* const* rows, int64_t g0,
                                                  float* scores, __mmask16 wanted, Ask ask) {
  const ActQ8Row at(a.d);
  const int8_t* q = static_cast<const int8_t*>(a.q) + g0 * a.q_stride;
  __m512 sums[G];
#pragma GCC unroll 8
  for (int g = 0; g < G; ++g) sums[g] = _mm512_setzero_ps();
  for (int64_t b = 0; b < a.d / kActQ8Block; ++b) {
    ask(b);
    __m512i keys[2][4];
    load_key_block<B>(rows, b, keys);
    const __m512 key_scales = load_key_scales<B>(rows, b);
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) {
      const int8_t* row = q + g * a.q_stride;
      const float scale = reinterpret_cast<const float*>(row + at.scales)[b];
      const int32_t start = reinterpret_cast<const int32_t*>(row + at.starts)[b];
      const __m512 dots = dot_key_block<B>(keys, row + b * kActQ8Block, start);
      sums[g] = _mm512_fmadd_ps(dots, _mm512_mul_ps(key_scales, _mm512_set1_ps(scale)), sums[g]);
    }
  }
#pragma GCC unroll 8
  for (int g = 0; g < G; ++g) _mm512_mask_storeu_ps(scores + (g0 + g) * a.scores_stride, wanted, sums[g]);
}

template <class B>
void row_scores_vnni(const RowScoresArgs& a) noexcept {
  KeysAhead<V, B> ahead(a);
  const int64_t blocks = a.d / kActQ8Block, share = (kTileKeys + blocks - 1) / blocks;
  for (int64_t i = 0; i < a.n; i += kTileKeys) {
    const int64_t n = a.n - i < kTileKeys ? a.n - i : kTileKeys;
    const std::byte* rows[kTileKeys];  // the last one is repeated
    for (int64_t k = 0; k < kTileKeys; ++k) rows[k] = a.rows[i + (k < n ? k : n - 1)];
    const auto wanted = static_cast<__mmask16>((1u << n) - 1);
    for (int64_t g = 0; g < a.group; g += kTileHeads) {
      const auto ask = [&](int64_t b) __attribute__((always_inline)) {
        for (int64_t k = b * share; g == 0 && k < (b + 1) * share && k < n; ++k) ahead.ask(i + k);
      };
      with_constant<kTileHeads>(
          a.group - g < kTileHeads ? a.group - g : kTileHeads, [&]<int G>() __attribute__((always_inline)) {
            score_key_tile<B, G>(a, rows, g, a.scores + i, wanted, ask);
          });
    }
  }
}
