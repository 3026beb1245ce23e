// matmul over f32, f16 or bf16 weights and float activations.
// Bound: read bandwidth of the weights for few tokens (each line is prefetched 4 KB ahead), FMA throughput for many. The sum
// over k runs in four accumulators for any number of tokens, so a token's result does not depend on the others.
#pragma once

#include "kernels/generic/prefetch.inl"

template <class V, class B, int NT>
[[gnu::always_inline]] inline void dot_tile_float(const B* w, const MatmulArgs& a, int64_t t, int64_t r) {
  constexpr int kAcc = 4, kStep = kAcc * V::kWidth;
  const float* x[NT];
  typename V::F acc[NT][kAcc];
#pragma GCC unroll 8
  for (int i = 0; i < NT; ++i) {
    x[i] = reinterpret_cast<const float*>(static_cast<const char*>(a.x) + (t + i) * a.x_stride);
#pragma GCC unroll 4
    for (int j = 0; j < kAcc; ++j) acc[i][j] = V::zero();
  }
  int64_t c = 0;
  for (; c + kStep <= a.k; c += kStep) {
    prefetch_lines<V, kStep* static_cast<int64_t>(sizeof(B))>(w + c, kPrefetchBytes);
#pragma GCC unroll 4
    for (int j = 0; j < kAcc; ++j) {
      const typename V::F wv = load_block<V>(w + c + j * V::kWidth);
#pragma GCC unroll 8
      for (int i = 0; i < NT; ++i) acc[i][j] = V::fma(wv, V::load(x[i] + c + j * V::kWidth), acc[i][j]);
    }
  }
  for (; c + V::kWidth <= a.k; c += V::kWidth) {
    const typename V::F wv = load_block<V>(w + c);
#pragma GCC unroll 8
    for (int i = 0; i < NT; ++i) acc[i][0] = V::fma(wv, V::load(x[i] + c), acc[i][0]);
  }
  if (c < a.k) {
    alignas(64) B w_tail[V::kWidth] = {};
    alignas(64) float x_tail[V::kWidth] = {};
    std::memcpy(w_tail, w + c, static_cast<size_t>(a.k - c) * sizeof(B));
    const typename V::F wv = load_block<V>(w_tail);
#pragma GCC unroll 8
    for (int i = 0; i < NT; ++i) {
      std::memcpy(x_tail, x[i] + c, static_cast<size_t>(a.k - c) * sizeof(float));
      acc[i][1] = V::fma(wv, V::load(x_tail), acc[i][1]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < NT; ++i)
    a.y[(t + i) * a.y_stride + r] = V::sum(V::add(V::add(acc[i][0], acc[i][1]), V::add(acc[i][2], acc[i][3])));
}

template <class V, class B>
void matmul_float(const MatmulArgs& a) noexcept {
  for (int64_t r = 0; r < a.n; ++r) {
    const B* w = reinterpret_cast<const B*>(static_cast<const char*>(a.w) + r * a.w_stride);
    int64_t t = 0;
    for (; t + V::kTokens <= a.m; t += V::kTokens) dot_tile_float<V, B, V::kTokens>(w, a, t, r);
    for (; t < a.m; ++t) dot_tile_float<V, B, 1>(w, a, t, r);
  }
}
