// One step of an online softmax: see SoftmaxArgs. Bound: the exponential's arithmetic.
#pragma once

#include "kernels/generic/elementwise.inl"
#include "kernels/generic/exp.inl"
#include "kernels/generic/softcap.inl"

// x (n) = f(x, index of the first lane); lanes behind n are computed on `pad` and dropped.
template <class V, class Fn>
[[gnu::always_inline]] inline void update(float* x, int64_t n, float pad, Fn f) {
  int64_t i = 0;
  for (; i + V::kWidth <= n; i += V::kWidth) V::store(x + i, f(V::load(x + i), i));
  if (i == n) return;
  alignas(64) float tail[V::kWidth];
  for (int j = 0; j < V::kWidth; ++j) tail[j] = pad;
  std::memcpy(tail, x + i, static_cast<size_t>(n - i) * sizeof(float));
  store_part<V>(x + i, f(V::load(tail), i), n - i);
}

// Cap and bias, where there are any.
template <class V>
[[gnu::always_inline]] inline void adjust(const SoftmaxArgs& a) {
  const bool biased = a.slope != 0 || a.bias != 0;
  if (a.softcap <= 0 && !biased) return;
  alignas(64) float lanes[V::kWidth];
  for (int i = 0; i < V::kWidth; ++i) lanes[i] = static_cast<float>(i);
  const typename V::F lane = V::load(lanes);
  update<V>(
      a.scores, a.n, -1e30f, [&](auto s, int64_t i) __attribute__((always_inline)) {
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

template <class V>
[[gnu::always_inline]] inline void scale_row(float* x, float factor, int64_t n) {
  map2<V>(
      x, x, x, n, [=](auto u, auto) __attribute__((always_inline)) { return V::mul(u, V::set1(factor)); });
}

template <class V>
void softmax(const SoftmaxArgs& a) noexcept {
  adjust<V>(a);
  const float top = largest_of<V>(a.scores, a.n, *a.max);
  if (top > *a.max) {
    const float shrink = V::first(vexp<V>(V::set1(*a.max - top)));
    *a.sum *= shrink;
    *a.max = top;
    scale_row<V>(a.out, shrink, a.d);
  }
  typename V::F total = V::zero();
  update<V>(
      a.scores, a.n, -1e30f, [&](auto s, int64_t) __attribute__((always_inline)) {
        const typename V::F e = vexp<V>(V::sub(s, V::set1(top)));
        total = V::add(total, e);
        return e;
      });
  *a.sum += V::sum(total);
}
