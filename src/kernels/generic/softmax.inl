// Scores for attention: see AdjustScoresArgs and SoftmaxArgs. Bound: the exponential's arithmetic.
#pragma once

#include "kernels/generic/elementwise.inl"
#include "kernels/generic/exp.inl"
#include "kernels/generic/softcap.inl"

// x (n) = f(x, index of the first lane); lanes from n on are computed on minus infinity and dropped.
template <class V, class Fn>
[[gnu::always_inline]] inline void update(float* x, int64_t n, Fn f) {
  int64_t i = 0;
  for (; i + V::kWidth <= n; i += V::kWidth) V::store(x + i, f(V::load(x + i), i));
  if (i == n) return;
  alignas(64) float tail[V::kWidth];
  for (int j = 0; j < V::kWidth; ++j) tail[j] = -__builtin_inff();
  std::memcpy(tail, x + i, static_cast<size_t>(n - i) * sizeof(float));
  store_part<V>(x + i, f(V::load(tail), i), n - i);
}

template <class V>
void adjust_scores(const AdjustScoresArgs& a) noexcept {
  const bool biased = a.slope != 0 || a.bias != 0;
  alignas(64) float lanes[V::kWidth];
  for (int i = 0; i < V::kWidth; ++i) lanes[i] = static_cast<float>(i);
  const typename V::F lane = V::load(lanes);
  update<V>(
      a.scores, a.n, [&](auto s, int64_t i) __attribute__((always_inline)) {
        if (a.softcap > 0) s = soft_cap<V>(s, a.softcap);
        if (!biased) return s;
        const typename V::F index = V::add(lane, V::set1(static_cast<float>(i)));
        return V::add(s, V::fma(index, V::set1(a.slope), V::set1(a.bias)));
      });
}

template <class V>
[[gnu::always_inline]] inline float largest_of(const float* x, int64_t n, float least) {
  constexpr int kChains = 4;
  typename V::F tops[kChains];
#pragma GCC unroll 4
  for (int c = 0; c < kChains; ++c) tops[c] = V::set1(least);
  int64_t i = 0;
  for (; i + kChains * V::kWidth <= n; i += kChains * V::kWidth)
#pragma GCC unroll 4
    for (int c = 0; c < kChains; ++c) tops[c] = V::max(V::load(x + i + c * V::kWidth), tops[c]);
  for (; i + V::kWidth <= n; i += V::kWidth) tops[0] = V::max(V::load(x + i), tops[0]);
  float largest = V::max_of(V::max(V::max(tops[0], tops[1]), V::max(tops[2], tops[3])));
  for (; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
  return largest;
}

// A new maximum of a row scales the sums found with the old one.
template <class V>
[[gnu::always_inline]] inline void raise_to(float top, const SoftmaxArgs& a, int64_t row) {
  if (!(top > a.max[row])) return;
  const float shrink = V::first(vexp_bounded<V>(V::set1(a.max[row] - top)));
  a.sum[row] *= shrink;
  a.max[row] = top;
  float* out = a.out + row * a.out_stride;
  scale<V>(shrink, out, out, a.d);
}

// R rows from the first-th on, four vectors side by side. A row's sum runs in order, however many rows there are.
template <class V, int R>
[[gnu::always_inline]] inline void softmax_rows(const SoftmaxArgs& a, int64_t first) {
  constexpr int N = 4 / R;
  float* rows[R];
  typename V::F tops[R], totals[R];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
    rows[r] = a.scores + (first + r) * a.scores_stride;
    const float top = largest_of<V>(rows[r], a.n, a.max[first + r]);
    raise_to<V>(top, a, first + r);
    tops[r] = V::set1(top);
    totals[r] = V::zero();
  }
  int64_t i = 0;
  for (; i + N * V::kWidth <= a.n; i += N * V::kWidth) {
    typename V::F e[4];
#pragma GCC unroll 4
    for (int u = 0; u < 4; ++u) e[u] = V::sub(V::load(rows[u / N] + i + u % N * V::kWidth), tops[u / N]);
    vexp_bounded<V>(e);
#pragma GCC unroll 4
    for (int u = 0; u < 4; ++u) {
      V::store(rows[u / N] + i + u % N * V::kWidth, e[u]);
      totals[u / N] = V::add(totals[u / N], e[u]);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
    update<V>(
        rows[r] + i, a.n - i, [&](auto s, int64_t) __attribute__((always_inline)) {
          const typename V::F e = vexp_bounded<V>(V::sub(s, tops[r]));
          totals[r] = V::add(totals[r], e);
          return e;
        });
    a.sum[first + r] += V::sum(totals[r]);
  }
}

template <class V>
void softmax(const SoftmaxArgs& a) noexcept {
  constexpr int kTogether = 4;
  int64_t r = 0;
  for (; r + kTogether <= a.rows; r += kTogether) softmax_rows<V, kTogether>(a, r);
  for (; r < a.rows; ++r) softmax_rows<V, 1>(a, r);
}
