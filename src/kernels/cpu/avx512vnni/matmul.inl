// matmul over formats with blocks of 32 small integers, two blocks per VPDPBUSD, eight blocks' scales at a time.
// Bound: read bandwidth for few tokens (each line is prefetched 4 KB ahead), the dot product's throughput for many.
// Codes are taken as unsigned bytes, code + offset. The offset adds offset * scale * sum of the activations' bytes,
// subtracted at the end by way of the sums that act_q8.h has. The order of sums over k is the same for any number of tokens.
#pragma once

#include "kernels/generic/prefetch.inl"

// The scales of eight blocks.
template <class B>
[[gnu::always_inline]] inline __m256 load_scales(const B* w) {
  const auto h = [&](int i) __attribute__((always_inline)) { return static_cast<int16_t>(w[i].d); };
  return _mm256_cvtph_ps(_mm_setr_epi16(h(0), h(1), h(2), h(3), h(4), h(5), h(6), h(7)));
}

template <class B, int NT>
[[gnu::always_inline]] inline void dot_tile_vnni(const B* w, const MatmulArgs& a, int64_t t, int64_t r) {
  const int64_t blocks = a.k / kActQ8Block;
  const int8_t* q[NT];
  const float* d[NT];
  const int32_t* starts[NT];
  __m512 acc[NT][2];
  __m256 offsets[NT], rest[NT];
#pragma GCC unroll 8
  for (int i = 0; i < NT; ++i) {
    q[i] = static_cast<const int8_t*>(a.x) + (t + i) * a.x_stride;
    d[i] = reinterpret_cast<const float*>(q[i] + a.k);
    starts[i] = reinterpret_cast<const int32_t*>(d[i] + blocks);
    acc[i][0] = acc[i][1] = _mm512_setzero_ps();
    offsets[i] = rest[i] = _mm256_setzero_ps();
  }
  int64_t b = 0;
  for (; b + 8 <= blocks; b += 8) {
    prefetch_lines<V, 8 * sizeof(B)>(w + b, kPrefetchBytes);
    const __m256 w_scales = load_scales(w + b);
    __m512 scales[NT];
#pragma GCC unroll 8
    for (int i = 0; i < NT; ++i) {
      const __m256 both = _mm256_mul_ps(w_scales, _mm256_loadu_ps(d[i] + b));
      const __m256i start = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(starts[i] + b));
      offsets[i] = _mm256_fmadd_ps(both, _mm256_cvtepi32_ps(start), offsets[i]);
      scales[i] = _mm512_castps256_ps512(both);
    }
#pragma GCC unroll 4
    for (int pair = 0; pair < 4; ++pair) {
      const __m512i codes = load_pair<V>(w[b + 2 * pair], w[b + 2 * pair + 1]);
      const __m512i lanes = V::join(_mm256_set1_epi32(2 * pair), _mm256_set1_epi32(2 * pair + 1));
#pragma GCC unroll 8
      for (int i = 0; i < NT; ++i) {
        const __m512i x = _mm512_loadu_si512(q[i] + (b + 2 * pair) * kActQ8Block);
        const __m512 dots = _mm512_cvtepi32_ps(_mm512_dpbusd_epi32(_mm512_setzero_si512(), codes, x));
        acc[i][pair % 2] = _mm512_fmadd_ps(dots, _mm512_permutexvar_ps(lanes, scales[i]), acc[i][pair % 2]);
      }
    }
  }
  for (; b < blocks; ++b) {
    const __m256i codes = load_codes<V>(w[b]);
    const __m256i magnitude = V::abs(codes);
    const __m256 scale = V::scale(w[b].d);
#pragma GCC unroll 8
    for (int i = 0; i < NT; ++i)
      rest[i] = V::add_scaled(V::dot(magnitude, codes, V::load_i8(q[i] + b * kActQ8Block)), scale, d[i][b], rest[i]);
  }
#pragma GCC unroll 8
  for (int i = 0; i < NT; ++i) {
    const __m256 others = _mm256_fmadd_ps(offsets[i], _mm256_set1_ps(B::kOffset / 128.0f), rest[i]);
    const __m512 all = _mm512_add_ps(_mm512_add_ps(acc[i][0], acc[i][1]), _mm512_zextps256_ps512(others));
    a.y[(t + i) * a.y_stride + r] = _mm512_reduce_add_ps(all);
  }
}

template <class B>
void matmul_vnni(const MatmulArgs& a) noexcept {
  for (int64_t r = 0; r < a.n; ++r) {
    const B* w = reinterpret_cast<const B*>(static_cast<const char*>(a.w) + r * a.w_stride);
    int64_t t = 0;
    for (; t + 4 <= a.m; t += 4) dot_tile_vnni<B, 4>(w, a, t, r);
    for (; t < a.m; ++t) dot_tile_vnni<B, 1>(w, a, t, r);
  }
}
