// The key index: see IndexScoresArgs. Bound: read bandwidth of the chosen dimensions, in pieces of 2 to 8 KB; for bytes,
// half of the instructions turn codes into floats (by dot products: index_int16.inl).
#pragma once

#include "kernels/generic/cache_rows.inl"
#include "kernels/generic/index_codes.inl"

template <class V>
[[gnu::always_inline]] inline typename V::F load_codes_floats(const BlockF16* p) {
  return V::load_f16(p);
}
template <class V>
[[gnu::always_inline]] inline typename V::F load_codes_floats(const int8_t* p) {
  return V::load_i8_floats(p);
}

// Chosen dimensions that are read side by side, as many streams as a processor follows. kIndexAhead: how many bytes ahead of
// their use they are asked for. Where a piece ends, the next ones follow.
inline constexpr int64_t kPassColumns = 16, kIndexAhead = 512;

template <class C>
struct IndexPass {
  const C* codes[kPassColumns];  // of the first key
  const C* next[kPassColumns];
  const float *scales[kPassColumns], *next_scales[kPassColumns];  // of the first key's page
  int64_t columns, first_column, keys;

  // Asks for the bytes that are read first, unless an earlier pass has.
  [[gnu::always_inline]] void ask_first() const {
    constexpr int64_t kPagesOfLine = 64 / sizeof(float) * kPageKeys;
    for (int64_t c = 0; c < columns; ++c) {
      if (sizeof(C) == 1)
        for (int64_t key = 0; key < keys; key += kPagesOfLine) __builtin_prefetch(scales[c] + key / kPageKeys);
      prefetch_row(reinterpret_cast<const std::byte*>(codes[c]), 0, kIndexAhead);
    }
  }

  // Asks for the bytes that are read after the page at this key.
  [[gnu::always_inline]] void ask(int64_t page) const {
    constexpr int64_t kKeysAhead = kIndexAhead / static_cast<int64_t>(sizeof(C));
    const int64_t key = page + kKeysAhead;
    const C* const* from = key < keys ? codes : next;
    const int64_t at = key < keys ? key : key - keys;
    for (int64_t c = 0; c < columns; ++c)
      prefetch_row(reinterpret_cast<const std::byte*>(from[c] + at), 0, kPageKeys * sizeof(C));
    constexpr int64_t kScales = 64 / sizeof(float);
    if (const int64_t scale = page / kPageKeys; sizeof(C) == 1 && scale % kScales == 0)
      for (int64_t c = 0; c < columns; ++c) __builtin_prefetch(next_scales[c] + scale);
  }
};

// N vectors of one page's keys from key i on, for G heads: the sums of earlier passes are added to.
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
  constexpr int N = key_vectors<V, G>();
  for (int64_t i = page; i < page + kPageKeys; i += N * V::kWidth) index_tile<V, C, N, G>(a, pass, i, g0);
}

// A run's column of the dim-th chosen dimension, from a key on.
template <class C>
[[gnu::always_inline]] inline void point_at_column(const IndexScoresArgs& a, const std::byte* run, int64_t dim, int64_t key,
                                                   const C*& codes, const float*& scales) {
  const IndexColumns shape{a.run_keys, index_of<C>()};
  const std::byte* column = run + a.dims[dim] * shape.stride();
  codes = reinterpret_cast<const C*>(column) + key;
  scales = reinterpret_cast<const float*>(column + shape.scales()) + key / kPageKeys;
}

// Columns of the pass from the c-th chosen one on; where nothing comes afterwards, a pass follows itself.
template <class C>
[[gnu::always_inline]] inline IndexPass<C> index_pass(const IndexScoresArgs& a, int64_t first_column, int64_t columns) {
  IndexPass<C> pass;
  pass.columns = columns;
  pass.first_column = first_column;
  pass.keys = a.n;
  for (int64_t c = 0; c < columns; ++c) {
    point_at_column(a, a.run, first_column + c, a.first, pass.codes[c], pass.scales[c]);
    if (const int64_t later = first_column + columns + c; later < a.k1)
      point_at_column(a, a.run, later, a.first, pass.next[c], pass.next_scales[c]);
    else if (a.next && first_column + columns == a.k1)
      point_at_column(a, a.next, c, 0, pass.next[c], pass.next_scales[c]);
    else
      point_at_column(a, a.run, first_column + c, a.first, pass.next[c], pass.next_scales[c]);
  }
  return pass;
}

// f(pass) for all chosen dimensions, in passes of about the same size.
template <class C, class Fn>
[[gnu::always_inline]] inline void for_index_passes(const IndexScoresArgs& a, Fn f) {
  const int64_t passes = (a.k1 + kPassColumns - 1) / kPassColumns, columns = (a.k1 + passes - 1) / passes;
  for (int64_t first = 0; first < a.k1; first += columns) {
    const auto pass = index_pass<C>(a, first, a.k1 - first < columns ? a.k1 - first : columns);
    if (first == 0) pass.ask_first();
    f(pass);
  }
}

template <class V, class C>
void index_scores(const IndexScoresArgs& a) noexcept {
  for_index_passes<C>(
      a, [&](const IndexPass<C>& pass) __attribute__((always_inline)) {
        for (int64_t page = 0; page < a.n; page += kPageKeys) {
          pass.ask(page);
          int64_t g = 0;
          for (; g + 4 <= a.group; g += 4) index_heads<V, C, 4>(a, pass, page, g);
          for (; g + 2 <= a.group; g += 2) index_heads<V, C, 2>(a, pass, page, g);
          for (; g < a.group; ++g) index_heads<V, C, 1>(a, pass, page, g);
        }
      });
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
  const IndexColumns shape{a.run_keys, index_of<C>()};
  std::byte* column = a.run + j * shape.stride();
  return {reinterpret_cast<C*>(column) + a.first, reinterpret_cast<float*>(column + shape.scales()) + a.first / kPageKeys};
}

template <class V>
[[gnu::always_inline]] inline float scale_of(const StoreIndexArgs& a, int64_t j) {
  typename V::F largest = V::zero();
  for (int64_t i = 0; i < kPageKeys; i += V::kWidth) largest = V::max_magnitude(largest, load_panel<V>(a, i, j));
  return V::max_of_magnitudes(largest) / 127.0f;
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
void store_index_int4(const StoreIndexArgs& a) noexcept {
  for (int64_t j = 0; j < a.d; ++j) {
    typename V::F most = load_panel<V>(a, 0, j), least = V::sub(V::zero(), most);
    for (int64_t i = V::kWidth; i < kPageKeys; i += V::kWidth) {
      const typename V::F x = load_panel<V>(a, i, j);
      most = V::max(most, x);
      least = V::max(least, V::sub(V::zero(), x));
    }
    const NibbleRange range = nibble_range(-V::max_of(least), V::max_of(most));
    alignas(64) int8_t codes[kPageKeys];
    for (int64_t i = 0; i < kPageKeys; i += V::kWidth)
      V::store_i8(codes + i, V::mul(V::sub(load_panel<V>(a, i, j), V::set1(range.least)), V::set1(range.inverse)));
    store_nibbles(codes, range, a, j);
  }
}

template <class V>
void store_index_f16(const StoreIndexArgs& a) noexcept {
  for (int64_t j = 0; j < a.d; ++j) {
    uint16_t* codes = index_piece<uint16_t>(a, j).codes;
    for (int64_t i = 0; i < kPageKeys; i += V::kWidth) V::store_f16(codes + i, load_panel<V>(a, i, j));
  }
}
