// Activations and gated units. Bound: memory bandwidth, where the exponential keeps up. A NaN stays one: it is the second
// operand of each maximum. Infinity has no limit that hides it either.
#pragma once

#include "kernels/generic/elementwise.inl"
#include "kernels/generic/exp.inl"

template <class V>
[[gnu::always_inline]] inline typename V::F at_most(typename V::F x, float limit) {
  return V::sub(V::zero(), V::max(V::set1(-limit), V::sub(V::zero(), x)));
}

// y = f(x), bounded on a side; no number for an infinite x there.
template <class V>
[[gnu::always_inline]] inline typename V::F bounded(typename V::F x, typename V::F y) {
  return V::fma(x, V::zero(), y);
}

template <class V>
struct Silu {
  using F = typename V::F;
  [[gnu::always_inline]] static F of(F x) { return V::div(x, V::add(V::set1(1.0f), vexp<V>(V::sub(V::zero(), x)))); }
};

// With the share of a normal distribution beyond |x|, as exp(-x^2 / 2) times a smooth function: no difference of nearly
// equal numbers on either side of 0. That function times |x| + 4 is a polynomial in (|x| - 4) / (|x| + 4), within 1.3e-8 (by
// least squares, reweighted towards minimax; the form is Shepherd & Laframboise's, 1981).
template <class V>
struct Gelu {
  using F = typename V::F;
  [[gnu::always_inline]] static F of(F x) {
    const F size = V::abs_f(x), minus = V::sub(V::zero(), size);
    const F t = V::sub(V::zero(), V::max(minus, V::set1(-20.0f)));  // beyond, nothing is left
    const F inverse = V::div(V::set1(1.0f), V::add(t, V::set1(4.0f)));
    const F u = V::mul(V::sub(t, V::set1(4.0f)), inverse);
    F p = V::set1(-1.48310757e-4f);
    p = V::fma(p, u, V::set1(1.47550547e-4f));
    p = V::fma(p, u, V::set1(1.56460609e-3f));
    p = V::fma(p, u, V::set1(-3.49278807e-3f));
    p = V::fma(p, u, V::set1(-7.51786907e-3f));
    p = V::fma(p, u, V::set1(6.03999561e-2f));
    p = V::fma(p, u, V::set1(-1.86524921e-1f));
    p = V::fma(p, u, V::set1(3.87137156e-1f));
    p = V::fma(p, u, V::set1(-6.07896524e-1f));
    p = V::fma(p, u, V::set1(7.55285132e-1f));
    // The square's rounding error would be 1e-5 of the exponential.
    const F square = V::mul(t, t), lost = V::fma(t, t, V::sub(V::zero(), square));
    const F bell = V::mul(vexp<V>(V::mul(square, V::set1(-0.5f))), V::fma(lost, V::set1(-0.5f), V::set1(1.0f)));
    return V::fma(minus, V::mul(V::mul(bell, p), inverse), V::max(x, V::zero()));
  }
};

template <class V>
struct GeluTanh {
  using F = typename V::F;
  [[gnu::always_inline]] static F of(F x) {
    // x / 2 * (1 + tanh(y)) = x / (1 + exp(-2 y))
    const F twice = V::mul(x, V::fma(V::mul(x, x), V::set1(0.0713548163f), V::set1(1.59576912f)));
    return V::div(x, V::add(V::set1(1.0f), vexp<V>(V::sub(V::zero(), twice))));
  }
};

template <class V>
struct Relu {
  using F = typename V::F;
  [[gnu::always_inline]] static F of(F x) { return bounded<V>(x, V::max(V::zero(), x)); }
};

template <class V>
struct ReluSquared {
  using F = typename V::F;
  [[gnu::always_inline]] static F of(F x) {
    const F y = V::max(V::zero(), x);
    return bounded<V>(x, V::mul(y, y));
  }
};

template <class V>
struct Sigmoid {
  using F = typename V::F;
  [[gnu::always_inline]] static F of(F x) {
    return bounded<V>(x, V::div(V::set1(1.0f), V::add(V::set1(1.0f), vexp<V>(V::sub(V::zero(), x)))));
  }
};

template <class V>
struct ClampedSilu {
  using F = typename V::F;
  [[gnu::always_inline]] static F of(F x) {
    const F c = at_most<V>(x, kClampLimit);
    return bounded<V>(x, V::div(c, V::add(V::set1(1.0f), vexp<V>(V::mul(c, V::set1(-kClampedSlope))))));
  }
};

template <class V>
struct ClampedLinear {
  using F = typename V::F;
  [[gnu::always_inline]] static F of(F x) {
    return bounded<V>(x, V::add(V::set1(1.0f), V::max(V::set1(-kClampLimit), at_most<V>(x, kClampLimit))));
  }
};

template <class V>
struct Itself {
  using F = typename V::F;
  [[gnu::always_inline]] static F of(F x) { return x; }
};

template <class V, template <class> class Fn>
void activation(const float* x, float* y, int64_t n) noexcept {
  map2<V>(
      x, x, y, n, [](auto u, auto) __attribute__((always_inline)) { return Fn<V>::of(u); });
}

template <class V, template <class> class Fn, template <class> class Up>
void glu(const float* gate, const float* up, float* y, int64_t n) noexcept {
  map2<V>(
      gate, up, y, n, [](auto g, auto u) __attribute__((always_inline)) { return V::mul(Fn<V>::of(g), Up<V>::of(u)); });
}

template <class V, template <class> class Fn, template <class> class Up = Itself>
void paint_activation(KernelTable& t, Activation id) {
  t.activation[static_cast<size_t>(id)] = activation<V, Fn>;
  t.glu[static_cast<size_t>(id)] = glu<V, Fn, Up>;
}
