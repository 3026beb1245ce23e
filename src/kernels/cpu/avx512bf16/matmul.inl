// matmul over bf16 weights and bf16 activations by VDPBF16PS: 32 products per instruction, sums in float.
// Bound: read bandwidth for few tokens, the dot product's throughput for many.
#pragma once

#include "kernels/generic/prefetch.inl"

template <int NT>
[[gnu::always_inline]] inline void dot_tile_bf16(const uint16_t* w, const MatmulArgs& a, int64_t t, int64_t r) {
  const uint16_t* x[NT];
  __m512 acc[NT][2];
#pragma GCC unroll 8
  for (int i = 0; i < NT; ++i) {
    x[i] = reinterpret_cast<const uint16_t*>(static_cast<const char*>(a.x) + (t + i) * a.x_stride);
    acc[i][0] = acc[i][1] = _mm512_setzero_ps();
  }
  const auto step = [&](__m512i wv, int64_t c, int parity) __attribute__((always_inline)) {
#pragma GCC unroll 8
    for (int i = 0; i < NT; ++i)
      acc[i][parity] = _mm512_dpbf16_ps(acc[i][parity], reinterpret_cast<__m512bh>(wv),
                                        reinterpret_cast<__m512bh>(_mm512_loadu_si512(x[i] + c)));
  };
  int64_t c = 0;
  for (; c + 64 <= a.k; c += 64) {
    prefetch_lines<V, 128>(w + c, kPrefetchBytes);
    step(_mm512_loadu_si512(w + c), c, 0);
    step(_mm512_loadu_si512(w + c + 32), c + 32, 1);
  }
  if (c + 32 <= a.k) {
    step(_mm512_loadu_si512(w + c), c, 0);
    c += 32;
  }
  if (c < a.k) step(_mm512_maskz_loadu_epi16(static_cast<__mmask32>((uint32_t{1} << (a.k - c)) - 1), w + c), c, 1);
#pragma GCC unroll 8
  for (int i = 0; i < NT; ++i) a.y[(t + i) * a.y_stride + r] = _mm512_reduce_add_ps(_mm512_add_ps(acc[i][0], acc[i][1]));
}

void matmul_bf16(const MatmulArgs& a) noexcept {
  for (int64_t r = 0; r < a.n; ++r) {
    const auto* w = reinterpret_cast<const uint16_t*>(static_cast<const char*>(a.w) + r * a.w_stride);
    int64_t t = 0;
    for (; t + 4 <= a.m; t += 4) dot_tile_bf16<4>(w, a, t, r);
    for (; t < a.m; ++t) dot_tile_bf16<1>(w, a, t, r);
  }
}
