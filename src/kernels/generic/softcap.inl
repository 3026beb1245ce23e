// A smooth limit of scores and logits. A logit that is not finite becomes no number, not the limit.
#pragma once

#include "kernels/generic/elementwise.inl"
#include "kernels/generic/exp.inl"

// c * tanh(x / c)
template <class V>
[[gnu::always_inline]] inline typename V::F soft_cap(typename V::F x, float c) {
  const typename V::F e = vexp<V>(V::mul(x, V::set1(2.0f / c)));
  const typename V::F tanh = V::sub(V::set1(1.0f), V::div(V::set1(2.0f), V::add(e, V::set1(1.0f))));
  return V::mul(tanh, V::set1(c));
}

template <class V>
void softcap(const float* x, float cap, float* y, int64_t n) noexcept {
  map2<V>(
      x, x, y, n, [=](auto u, auto) __attribute__((always_inline)) { return V::fma(u, V::zero(), soft_cap<V>(u, cap)); });
}
