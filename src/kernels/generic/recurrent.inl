// State matrices of recurrent layers. Bound: reading and writing the state, once each. Columns go by blocks whose values and
// sums stay in registers for all rows.
#pragma once

#include "kernels/generic/elementwise.inl"

// `m`: of the columns, at most N * V::kWidth.
template <class V, int N>
[[gnu::always_inline]] inline void update_columns(const UpdateStateArgs& a, int64_t first, int64_t m) {
  using F = typename V::F;
  const bool whole = m == N * V::kWidth;
  const auto left = [&](int j) __attribute__((always_inline)) { return m - j * V::kWidth; };
  F value[N], sum[N];
#pragma GCC unroll 4
  for (int j = 0; j < N; ++j) {
    value[j] = load_up_to<V>(a.values + first + j * V::kWidth, left(j));
    sum[j] = V::zero();
  }
  for (int64_t i = 0; i < a.n; ++i) {
    float* const row = a.state + i * a.d + first;
    const F decay = V::set1(a.decay[i]), key = V::set1(a.keys[i]), query = V::set1(a.queries[i]);
#pragma GCC unroll 4
    for (int j = 0; j < N; ++j) {
      float* const at = row + j * V::kWidth;
      const F s = V::fma(key, value[j], V::mul(decay, whole ? V::load(at) : load_up_to<V>(at, left(j))));
      sum[j] = V::fma(query, s, sum[j]);
      if (whole || left(j) >= V::kWidth)
        V::store(at, s);
      else if (left(j) > 0)
        store_part<V>(at, s, left(j));
    }
  }
#pragma GCC unroll 4
  for (int j = 0; j < N; ++j) {
    float* const at = a.out + first + j * V::kWidth;
    if (left(j) >= V::kWidth)
      V::store(at, sum[j]);
    else if (left(j) > 0)
      store_part<V>(at, sum[j], left(j));
  }
}

template <class V>
void update_state(const UpdateStateArgs& a) noexcept {
  constexpr int kBlocks = 4;
  constexpr int64_t kColumns = kBlocks * V::kWidth;
  for (int64_t first = 0; first < a.d; first += kColumns)
    update_columns<V, kBlocks>(a, first, a.d - first < kColumns ? a.d - first : kColumns);
}

template <class V>
void read_state(const float* state, const float* w, float* y, int64_t n, int64_t d) noexcept {
  using F = typename V::F;
  constexpr int kBlocks = 4;
  constexpr int64_t kColumns = kBlocks * V::kWidth;
  for (int64_t first = 0; first < d; first += kColumns) {
    const int64_t m = d - first;
    F sum[kBlocks];
#pragma GCC unroll 4
    for (int j = 0; j < kBlocks; ++j) sum[j] = V::zero();
    for (int64_t i = 0; i < n; ++i) {
      const float* const row = state + i * d + first;
      const F weight = V::set1(w[i]);
#pragma GCC unroll 4
      for (int j = 0; j < kBlocks; ++j)
        sum[j] = V::fma(weight, load_up_to<V>(row + j * V::kWidth, m - j * V::kWidth), sum[j]);
    }
#pragma GCC unroll 4
    for (int j = 0; j < kBlocks; ++j) {
      const int64_t left = m - j * V::kWidth;
      if (left >= V::kWidth)
        V::store(y + first + j * V::kWidth, sum[j]);
      else if (left > 0)
        store_part<V>(y + first + j * V::kWidth, sum[j], left);
    }
  }
}

// T tokens while N vectors of each of a state's rows are in registers: the state is read and written once for all of them. A
// token's bits depend neither on T nor on N. `m`: of the columns, N * V::kWidth where these are whole.
template <class V, int T, int N, bool kWhole>
[[gnu::always_inline]] inline void scan_columns(const ScanStateArgs& a, int64_t token, int64_t first, int64_t m) {
  using F = typename V::F;
  const auto load = [&](const float* from, int j) __attribute__((always_inline)) {
    if constexpr (kWhole) return V::load(from + j * V::kWidth);
    return load_up_to<V>(from + j * V::kWidth, m - j * V::kWidth);
  };
  const auto store = [&](float* to, F x, int j) __attribute__((always_inline)) {
    const int64_t left = m - j * V::kWidth;
    if (kWhole || left >= V::kWidth)
      V::store(to + j * V::kWidth, x);
    else if (left > 0)
      store_part<V>(to + j * V::kWidth, x, left);
  };
  F sum[T][N], decay[T];
#pragma GCC unroll 4
  for (int t = 0; t < T; ++t) {
    decay[t] = V::set1(a.decays[token + t]);
#pragma GCC unroll 4
    for (int j = 0; j < N; ++j) sum[t][j] = V::zero();
  }
  const float *keys = a.keys + token * a.key_stride, *queries = a.queries + token * a.query_stride;
  const float* const values = a.values + token * a.value_stride + first;
  for (int64_t i = 0; i < a.n; ++i) {
    float* const row = a.state + i * a.d + first;
    F s[N];
#pragma GCC unroll 4
    for (int j = 0; j < N; ++j) s[j] = load(row, j);
#pragma GCC unroll 4
    for (int t = 0; t < T; ++t) {
      const F key = V::set1(keys[t * a.key_stride + i]), query = V::set1(queries[t * a.query_stride + i]);
#pragma GCC unroll 4
      for (int j = 0; j < N; ++j) {
        s[j] = V::fma(key, load(values + t * a.value_stride, j), V::mul(decay[t], s[j]));
        sum[t][j] = V::fma(query, s[j], sum[t][j]);
      }
    }
#pragma GCC unroll 4
    for (int j = 0; j < N; ++j) store(row, s[j], j);
  }
#pragma GCC unroll 4
  for (int t = 0; t < T; ++t)
#pragma GCC unroll 4
    for (int j = 0; j < N; ++j) store(a.out + (token + t) * a.out_stride + first, sum[t][j], j);
}

template <class V, int T, int N>
[[gnu::always_inline]] inline void scan_tokens(const ScanStateArgs& a, int64_t token) {
  constexpr int64_t kColumns = N * V::kWidth;
  int64_t first = 0;
  for (; first + kColumns <= a.d; first += kColumns) scan_columns<V, T, N, true>(a, token, first, kColumns);
  if (first < a.d) scan_columns<V, T, N, false>(a, token, first, a.d - first);
}

template <class V>
void scan_state(const ScanStateArgs& a) noexcept {
  constexpr int64_t kTokens = 4;
  int64_t token = 0;
  for (; token + kTokens <= a.tokens; token += kTokens) scan_tokens<V, kTokens, 2>(a, token);
  for (; token < a.tokens; ++token) scan_tokens<V, 1, 4>(a, token);
}

template <class V>
void conv_row(const ConvRowArgs& a) noexcept {
  using F = typename V::F;
  for (int64_t c = 0; c < a.n; c += V::kWidth) {
    const int64_t left = a.n - c;
    F sum = load_up_to<V>(a.bias + c, left);
    for (int64_t t = 0; t < a.taps; ++t)
      sum = V::fma(load_up_to<V>(a.weights + t * a.stride + c, left), load_up_to<V>(a.rows[t] + c, left), sum);
    if (left >= V::kWidth)
      V::store(a.out + c, sum);
    else
      store_part<V>(a.out + c, sum, left);
  }
}
