// The key index: see IndexScoresArgs. Bound: read bandwidth of the chosen dimensions; each is a stream of its own,
// prefetched.
#pragma once

#include "kernels/generic/elementwise.inl"

template <class V>
[[gnu::always_inline]] inline typename V::F load_codes_floats(const BlockF16* p) {
  return V::load_f16(p);
}
template <class V>
[[gnu::always_inline]] inline typename V::F load_codes_floats(const int8_t* p) {
  return V::load_i8_floats(p);
}

// One page's keys, N vectors of them from key i on, for G heads.
template <class V, class C, int N, int G>
[[gnu::always_inline]] inline void index_tile(const IndexScoresArgs& a, int64_t page, int64_t i, int64_t g0, bool prefetch) {
  typename V::F acc[G][N];
#pragma GCC unroll 16
  for (int g = 0; g < G; ++g)
#pragma GCC unroll 16
    for (int v = 0; v < N; ++v) acc[g][v] = V::zero();
  const C* codes = reinterpret_cast<const C*>(a.codes) + a.first + page + i;
  const int64_t pages = a.run_keys / kPageKeys, scale_at = (a.first + page) / kPageKeys;
  for (int64_t c = 0; c < a.k1; ++c) {
    const C* column = codes + a.dims[c] * a.run_keys;
    if (prefetch)
      for (int64_t line = 0; line < kPageKeys * static_cast<int64_t>(sizeof(C)); line += 64)
        __builtin_prefetch(reinterpret_cast<const char*>(column) + 512 + line);
    typename V::F k[N];
#pragma GCC unroll 16
    for (int v = 0; v < N; ++v) k[v] = load_codes_floats<V>(column + v * V::kWidth);
    float scale = 1;
    if constexpr (sizeof(C) == 1) scale = a.scales[a.dims[c] * pages + scale_at];
#pragma GCC unroll 16
    for (int g = 0; g < G; ++g) {
      const typename V::F q = V::set1(a.q[(g0 + g) * a.q_stride + c] * scale);
#pragma GCC unroll 16
      for (int v = 0; v < N; ++v) acc[g][v] = V::fma(q, k[v], acc[g][v]);
    }
  }
#pragma GCC unroll 16
  for (int g = 0; g < G; ++g)
#pragma GCC unroll 16
    for (int v = 0; v < N; ++v) V::store(a.scores + (g0 + g) * a.scores_stride + page + i + v * V::kWidth, acc[g][v]);
}

template <class V, class C, int G>
[[gnu::always_inline]] inline void index_heads(const IndexScoresArgs& a, int64_t page, int64_t g0) {
  constexpr int kAll = static_cast<int>(kPageKeys) / V::kWidth, kFit = V::kAccumulators / G;
  constexpr int N = kFit < kAll ? kFit : kAll;
  for (int64_t i = 0; i < kPageKeys; i += N * V::kWidth) index_tile<V, C, N, G>(a, page, i, g0, g0 == 0 && i == 0);
}

template <class V, class C>
void index_scores(const IndexScoresArgs& a) noexcept {
  for (int64_t page = 0; page < a.n; page += kPageKeys) {
    int64_t g = 0;
    for (; g + 4 <= a.group; g += 4) index_heads<V, C, 4>(a, page, g);
    for (; g + 2 <= a.group; g += 2) index_heads<V, C, 2>(a, page, g);
    for (; g < a.group; ++g) index_heads<V, C, 1>(a, page, g);
  }
}

// Dimension j of the page's keys from i on.
template <class V>
[[gnu::always_inline]] inline typename V::F load_panel(const StoreIndexArgs& a, int64_t i, int64_t j) {
  return V::load(a.panels + (i / kPanel * a.panel_d + j) * kPanel + i % kPanel);
}

template <class V>
[[gnu::always_inline]] inline float store_scale(const StoreIndexArgs& a, int64_t j) {
  typename V::F largest = V::zero();
  for (int64_t i = 0; i < kPageKeys; i += V::kWidth) largest = V::max(V::abs_f(load_panel<V>(a, i, j)), largest);
  return a.scales[j * (a.run_keys / kPageKeys)] = V::max_of(largest) / 127.0f;
}

template <class V>
void store_index_int8(const StoreIndexArgs& a) noexcept {
  for (int64_t j = 0; j < a.d; ++j) {
    const float d = store_scale<V>(a, j);
    const typename V::F inverse = V::set1(d >= __FLT_MIN__ ? 1.0f / d : 0.0f);
    auto* codes = reinterpret_cast<int8_t*>(a.codes) + j * a.run_keys;
    for (int64_t i = 0; i < kPageKeys; i += V::kWidth) V::store_i8(codes + i, V::mul(load_panel<V>(a, i, j), inverse));
  }
}

template <class V>
void store_index_f16(const StoreIndexArgs& a) noexcept {
  for (int64_t j = 0; j < a.d; ++j) {
    store_scale<V>(a, j);
    auto* codes = reinterpret_cast<uint16_t*>(a.codes) + j * a.run_keys;
    for (int64_t i = 0; i < kPageKeys; i += V::kWidth) V::store_f16(codes + i, load_panel<V>(a, i, j));
  }
}

template <class V>
void add_scaled(float factor, const float* x, float* y, int64_t n) noexcept {
  map2<V>(
      x, y, y, n, [=](auto u, auto v) __attribute__((always_inline)) { return V::fma(V::set1(factor), u, v); });
}
