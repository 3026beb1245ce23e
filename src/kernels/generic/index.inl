// The key index: see IndexScoresArgs. Bound: read bandwidth of the chosen dimensions, in pieces of 2 KB.
#pragma once

#include "kernels/generic/cache_rows.inl"

template <class V>
[[gnu::always_inline]] inline typename V::F load_codes_floats(const BlockF16* p) {
  return V::load_f16(p);
}
template <class V>
[[gnu::always_inline]] inline typename V::F load_codes_floats(const int8_t* p) {
  return V::load_i8_floats(p);
}

// Chosen dimensions that are read side by side, and the ones after them, which are asked for meanwhile: both stay in L1, and
// the processor follows so few streams.
inline constexpr int64_t kPassColumns = 8;
template <class C>
struct IndexPass {
  const C* codes[kPassColumns];  // of the first key
  const C* next[kPassColumns];
  const float* scales[kPassColumns];  // of the first key's page
  int64_t columns, first_column;
};

// N vectors of one page's keys from key i on, for G heads: what earlier passes have found is added to.
template <class V, class C, int N, int G>
[[gnu::always_inline]] inline void index_tile(const IndexScoresArgs& a, const IndexPass<C>& pass, int64_t i, int64_t g0) {
  typename V::F acc[G][N];
#pragma GCC unroll 16
  for (int g = 0; g < G; ++g)
#pragma GCC unroll 16
    for (int v = 0; v < N; ++v)
      acc[g][v] = pass.first_column ? V::load(a.scores + (g0 + g) * a.scores_stride + i + v * V::kWidth) : V::zero();
  for (int64_t c = 0; c < pass.columns; ++c) {
    typename V::F k[N];
#pragma GCC unroll 16
    for (int v = 0; v < N; ++v) k[v] = load_codes_floats<V>(pass.codes[c] + i + v * V::kWidth);
    float scale = 1;
    if constexpr (sizeof(C) == 1) scale = pass.scales[c][i / kPageKeys];
#pragma GCC unroll 16
    for (int g = 0; g < G; ++g) {
      const typename V::F q = V::set1(a.q[(g0 + g) * a.q_stride + pass.first_column + c] * scale);
#pragma GCC unroll 16
      for (int v = 0; v < N; ++v) acc[g][v] = V::fma(q, k[v], acc[g][v]);
    }
  }
#pragma GCC unroll 16
  for (int g = 0; g < G; ++g)
#pragma GCC unroll 16
    for (int v = 0; v < N; ++v) V::store(a.scores + (g0 + g) * a.scores_stride + i + v * V::kWidth, acc[g][v]);
}

template <class V, class C, int G>
[[gnu::always_inline]] inline void index_heads(const IndexScoresArgs& a, const IndexPass<C>& pass, int64_t page,
                                               int64_t g0) {
  constexpr int kAll = static_cast<int>(kPageKeys) / V::kWidth, kFit = V::kAccumulators / G;
  constexpr int N = kFit < kAll ? kFit : kAll;
  for (int64_t i = page; i < page + kPageKeys; i += N * V::kWidth) index_tile<V, C, N, G>(a, pass, i, g0);
}

// Columns of the pass from the c-th chosen one on; where nothing comes afterwards, a pass follows itself.
template <class C>
[[gnu::always_inline]] inline IndexPass<C> index_pass(const IndexScoresArgs& a, int64_t first_column, int64_t columns) {
  const IndexColumns shape{a.run_keys, sizeof(C)};
  IndexPass<C> pass;
  pass.columns = columns;
  pass.first_column = first_column;
  for (int64_t c = 0; c < columns; ++c) {
    const std::byte* column = a.run + a.dims[first_column + c] * shape.stride();
    pass.codes[c] = reinterpret_cast<const C*>(column) + a.first;
    pass.scales[c] = reinterpret_cast<const float*>(column + shape.scales()) + a.first / kPageKeys;
    pass.next[c] = pass.codes[c];
    if (const int64_t later = first_column + columns + c; later < a.k1)
      pass.next[c] = reinterpret_cast<const C*>(a.run + a.dims[later] * shape.stride()) + a.first;
    else if (a.next && first_column + columns == a.k1)
      pass.next[c] = reinterpret_cast<const C*>(a.next + a.dims[c] * shape.stride());
  }
  return pass;
}

template <class V, class C>
void index_scores(const IndexScoresArgs& a) noexcept {
  const int64_t passes = (a.k1 + kPassColumns - 1) / kPassColumns, columns = (a.k1 + passes - 1) / passes;
  for (int64_t first = 0; first < a.k1; first += columns) {
    const IndexPass<C> pass = index_pass<C>(a, first, a.k1 - first < columns ? a.k1 - first : columns);
    for (int64_t page = 0; page < a.n; page += kPageKeys) {
      for (int64_t c = 0; c < pass.columns; ++c)
        prefetch_row(reinterpret_cast<const std::byte*>(pass.next[c] + page), 0, kPageKeys * sizeof(C));
      int64_t g = 0;
      for (; g + 4 <= a.group; g += 4) index_heads<V, C, 4>(a, pass, page, g);
      for (; g + 2 <= a.group; g += 2) index_heads<V, C, 2>(a, pass, page, g);
      for (; g < a.group; ++g) index_heads<V, C, 1>(a, pass, page, g);
    }
  }
}

// Dimension j of the page's keys from i on.
template <class V>
[[gnu::always_inline]] inline typename V::F load_panel(const StoreIndexArgs& a, int64_t i, int64_t j) {
  return V::load(a.panels + (i / kPanel * a.panel_d + j) * kPanel + i % kPanel);
}

// The page's codes of dimension j, and the scale that belongs to them.
template <class C>
struct IndexPiece {
  C* codes;
  float* scale;
};
template <class C>
[[gnu::always_inline]] inline IndexPiece<C> index_piece(const StoreIndexArgs& a, int64_t j) {
  const IndexColumns shape{a.run_keys, sizeof(C)};
  std::byte* column = a.run + j * shape.stride();
  return {reinterpret_cast<C*>(column) + a.first, reinterpret_cast<float*>(column + shape.scales()) + a.first / kPageKeys};
}

template <class V>
[[gnu::always_inline]] inline float scale_of(const StoreIndexArgs& a, int64_t j) {
  typename V::F largest = V::zero();
  for (int64_t i = 0; i < kPageKeys; i += V::kWidth) largest = V::max(V::abs_f(load_panel<V>(a, i, j)), largest);
  return V::max_of(largest) / 127.0f;
}

template <class V>
void store_index_int8(const StoreIndexArgs& a) noexcept {
  for (int64_t j = 0; j < a.d; ++j) {
    const auto [codes, scale] = index_piece<int8_t>(a, j);
    const float d = *scale = scale_of<V>(a, j);
    const typename V::F inverse = V::set1(d >= __FLT_MIN__ ? 1.0f / d : 0.0f);
    for (int64_t i = 0; i < kPageKeys; i += V::kWidth) V::store_i8(codes + i, V::mul(load_panel<V>(a, i, j), inverse));
  }
}

template <class V>
void store_index_f16(const StoreIndexArgs& a) noexcept {
  for (int64_t j = 0; j < a.d; ++j) {
    const auto [codes, scale] = index_piece<uint16_t>(a, j);
    *scale = scale_of<V>(a, j);
    for (int64_t i = 0; i < kPageKeys; i += V::kWidth) V::store_f16(codes + i, load_panel<V>(a, i, j));
  }
}

template <class V>
void add_scaled(float factor, const float* x, float* y, int64_t n) noexcept {
  map2<V>(
      x, y, y, n, [=](auto u, auto v) __attribute__((always_inline)) { return V::fma(V::set1(factor), u, v); });
}
