// exp(x) for floats, relative error below 2e-7 for x in [-87, 88]; 0 below, saturating above. Range reduction by ln 2 in
// two parts, then a polynomial of degree 5 (Cody and Waite's method; coefficients by minimax of the relative error on
// [-ln2/2, ln2/2], the first two given).
#pragma once

// x at most 88.3, or NaN, which stays so.
template <class V>
[[gnu::always_inline]] inline typename V::F vexp_bounded(typename V::F x) {
  using F = typename V::F;
  x = V::max(V::set1(-200.0f), x);
  const F whole = V::set1(12582912.0f);  // 1.5 * 2^23: what is added to it loses its fraction
  const F n = V::sub(V::fma(x, V::set1(1.44269504f), whole), whole);
  F r = V::fma(n, V::set1(-0.693145752f), x);
  r = V::fma(n, V::set1(-1.42860677e-6f), r);
  F p = V::set1(8.31250125e-3f);
  p = V::fma(p, r, V::set1(4.18903315e-2f));
  p = V::fma(p, r, V::set1(1.66671154e-1f));
  p = V::fma(p, r, V::set1(4.99992303e-1f));
  p = V::fma(p, r, V::set1(1.0f));
  p = V::fma(p, r, V::set1(1.0f));
  return V::scale2(p, n);
}

template <class V>
[[gnu::always_inline]] inline typename V::F vexp(typename V::F x) {
  const typename V::F least = V::max(V::sub(V::zero(), x), V::set1(-88.3f));  // of -x
  return vexp_bounded<V>(V::sub(V::zero(), least));
}
