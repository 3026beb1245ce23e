// matmul over formats with blocks of 32 small integers and one scale, and activations quantised likewise (act_q8.h). Bound:
// read bandwidth of the weights for few tokens (each line is prefetched 4 KB ahead), int8 dot products for many. Sums within
// a block are exact; blocks add up in two accumulators (even and odd), for any number of tokens.
#pragma once

#include "kernels/generic/prefetch.inl"

template <class V, class B, int NT>
[[gnu::always_inline]] inline void dot_tile_int8(const B* w, const MatmulArgs& a, int64_t t, int64_t r) {
  const int64_t blocks = a.k / kActQ8Block;
  const int8_t* q[NT];
  const float* d[NT];
  typename V::D acc[NT][2];
#pragma GCC unroll 8
  for (int i = 0; i < NT; ++i) {
    q[i] = static_cast<const int8_t*>(a.x) + (t + i) * a.x_stride;
    d[i] = reinterpret_cast<const float*>(q[i] + a.k);
    acc[i][0] = acc[i][1] = V::d_zero();
  }
  const auto block = [&](int64_t b, int parity) __attribute__((always_inline)) {
    // Blocks of more than half a line need a prefetch each, smaller ones one for every second.
    if (sizeof(B) > 32 || parity == 0) ask_for<V>(reinterpret_cast<const char*>(w + b) + kPrefetchBytes);
    const typename V::I8 codes = load_codes<V>(w[b]);
    const typename V::I8 magnitude = V::abs(codes);
    const typename V::D scale = V::scale(w[b].d);
#pragma GCC unroll 8
    for (int i = 0; i < NT; ++i) {
      const typename V::D sums = V::dot(magnitude, codes, V::load_i8(q[i] + b * kActQ8Block));
      acc[i][parity] = V::add_scaled(sums, scale, d[i][b], acc[i][parity]);
    }
  };
  int64_t b = 0;
  for (; b + 2 <= blocks; b += 2) {
    block(b, 0);
    block(b + 1, 1);
  }
  if (b < blocks) block(b, 0);
#pragma GCC unroll 8
  for (int i = 0; i < NT; ++i) a.y[(t + i) * a.y_stride + r] = V::d_sum(acc[i][0], acc[i][1]);
}

template <class V, class B>
void matmul_int8(const MatmulArgs& a) noexcept {
  for (int64_t r = 0; r < a.n; ++r) {
    const B* w = reinterpret_cast<const B*>(static_cast<const char*>(a.w) + r * a.w_stride);
    int64_t t = 0;
    for (; t + 4 <= a.m; t += 4) dot_tile_int8<V, B, 4>(w, a, t, r);
    for (; t < a.m; ++t) dot_tile_int8<V, B, 1>(w, a, t, r);
  }
}
