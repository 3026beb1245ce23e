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
