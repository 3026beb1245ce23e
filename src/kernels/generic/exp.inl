// exp(x) for floats, relative error below 2e-7 for x in [-87, 88]; 0 below, saturating above. Range reduction by ln 2 in two
// parts, then a polynomial of degree 5 (Cody and Waite's method). Coefficients are by minimax of the relative error on
// [-ln2/2, ln2/2], the first two given.
// Bound: ten multiplications and comparisons for V::kWidth numbers.
#pragma once

// N vectors side by side, as one alone waits for each of its results. x at most 88.3, or NaN, which stays so.
template <class V, int N>
[[gnu::always_inline]] inline void vexp_bounded(typename V::F (&x)[N]) {
  using F = typename V::F;
  const auto each = [](auto f) __attribute__((always_inline)) {
#pragma GCC unroll 4
    for (int i = 0; i < N; ++i) f(i);
  };
  constexpr float kWhole = 12582912.0f + 127;  // 1.5 * 2^23: a sum with it has no fraction; and an exponent's bias
  F n[N], power[N];
  each([&](int i) __attribute__((always_inline)) { x[i] = V::max(V::set1(-88.03f), x[i]); });  // n >= -127
  each([&](int i) __attribute__((always_inline)) { n[i] = V::fma(x[i], V::set1(1.44269504f), V::set1(kWhole)); });
  each([&](int i) __attribute__((always_inline)) { power[i] = V::to_exponent(n[i]); });
  each([&](int i) __attribute__((always_inline)) { n[i] = V::sub(n[i], V::set1(kWhole)); });
  each([&](int i) __attribute__((always_inline)) { x[i] = V::fma(n[i], V::set1(-0.693145752f), x[i]); });
  each([&](int i) __attribute__((always_inline)) { x[i] = V::fma(n[i], V::set1(-1.42860677e-6f), x[i]); });
  F p[N];
  each([&](int i) __attribute__((always_inline)) { p[i] = V::fma(V::set1(8.31250125e-3f), x[i], V::set1(4.18903315e-2f)); });
  each([&](int i) __attribute__((always_inline)) { p[i] = V::fma(p[i], x[i], V::set1(1.66671154e-1f)); });
  each([&](int i) __attribute__((always_inline)) { p[i] = V::fma(p[i], x[i], V::set1(4.99992303e-1f)); });
  each([&](int i) __attribute__((always_inline)) { p[i] = V::fma(p[i], x[i], V::set1(1.0f)); });
  each([&](int i) __attribute__((always_inline)) { p[i] = V::fma(p[i], x[i], V::set1(1.0f)); });
  each([&](int i) __attribute__((always_inline)) { x[i] = V::mul(p[i], power[i]); });
}

template <class V>
[[gnu::always_inline]] inline typename V::F vexp_bounded(typename V::F x) {
  typename V::F one[1] = {x};
  vexp_bounded<V>(one);
  return one[0];
}

template <class V>
[[gnu::always_inline]] inline typename V::F vexp(typename V::F x) {
  const typename V::F least = V::max(V::set1(-88.3f), V::sub(V::zero(), x));  // of -x; a NaN stays one
  return vexp_bounded<V>(V::sub(V::zero(), least));
}
