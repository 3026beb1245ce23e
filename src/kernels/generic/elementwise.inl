// Element-wise kernels. Bound: memory bandwidth. A tail shorter than a vector goes through a zero-padded copy.
#pragma once

template <class V>
[[gnu::always_inline]] inline typename V::F load_part(const float* p, int64_t n) {
  alignas(64) float tail[V::kWidth] = {};
  std::memcpy(tail, p, static_cast<size_t>(n) * sizeof(float));
  return V::load(tail);
}

// The first n values, zeros after them; n may be more than there are lanes, or none.
template <class V>
[[gnu::always_inline]] inline typename V::F load_up_to(const float* p, int64_t n) {
  return n >= V::kWidth ? V::load(p) : n > 0 ? load_part<V>(p, n) : V::zero();
}

template <class V>
[[gnu::always_inline]] inline void store_part(float* p, typename V::F x, int64_t n) {
  alignas(64) float tail[V::kWidth];
  V::store(tail, x);
  std::memcpy(p, tail, static_cast<size_t>(n) * sizeof(float));
}

// The largest lane, or no number where one of them is none or infinite, which maxima of floats may pass over.
template <class V>
[[gnu::always_inline]] inline float largest_of_finite(typename V::F x) {
  return V::max_of(x) + V::sum(V::mul(x, V::zero()));
}

// y[i] = f(a[i], b[i]); y may be a or b.
template <class V, class Fn>
[[gnu::always_inline]] inline void map2(const float* a, const float* b, float* y, int64_t n, Fn f) {
  int64_t i = 0;
  for (; i + V::kWidth <= n; i += V::kWidth) V::store(y + i, f(V::load(a + i), V::load(b + i)));
  if (i < n) store_part<V>(y + i, f(load_part<V>(a + i, n - i), load_part<V>(b + i, n - i)), n - i);
}

template <class V>
void add(const float* a, const float* b, float* y, int64_t n) noexcept {
  map2<V>(
      a, b, y, n, [](auto u, auto v) __attribute__((always_inline)) { return V::add(u, v); });
}

template <class V>
void mul(const float* a, const float* b, float* y, int64_t n) noexcept {
  map2<V>(
      a, b, y, n, [](auto u, auto v) __attribute__((always_inline)) { return V::mul(u, v); });
}

template <class V>
void scale(float factor, const float* x, float* y, int64_t n) noexcept {
  map2<V>(
      x, x, y, n, [=](auto u, auto) __attribute__((always_inline)) { return V::mul(V::set1(factor), u); });
}

template <class V>
void add_scaled(float factor, const float* x, float* y, int64_t n) noexcept {
  map2<V>(
      x, y, y, n, [=](auto u, auto v) __attribute__((always_inline)) { return V::fma(V::set1(factor), u, v); });
}

template <class V>
void rms_norm(const float* x, const float* w, float* y, int64_t n, float eps) noexcept {
  typename V::F squares = V::zero();
  int64_t i = 0;
  for (; i + V::kWidth <= n; i += V::kWidth) {
    const typename V::F v = V::load(x + i);
    squares = V::fma(v, v, squares);
  }
  if (i < n) {
    const typename V::F v = load_part<V>(x + i, n - i);
    squares = V::fma(v, v, squares);
  }
  const float scale = 1.0f / __builtin_sqrtf(V::sum(squares) / static_cast<float>(n) + eps);
  map2<V>(
      x, w, y,
      n, [=](auto v, auto weight) __attribute__((always_inline)) { return V::mul(V::mul(v, V::set1(scale)), weight); });
}

// x (n) summed up after f.
template <class V, class Fn>
[[gnu::always_inline]] inline float sum_of(const float* x, int64_t n, Fn f) {
  typename V::F sum = V::zero();
  int64_t i = 0;
  for (; i + V::kWidth <= n; i += V::kWidth) sum = V::add(sum, f(V::load(x + i)));
  float rest = 0;
  if (i < n) {
    alignas(64) float tail[V::kWidth];
    V::store(tail, f(load_part<V>(x + i, n - i)));
    for (int64_t j = 0; j < n - i; ++j) rest += tail[j];
  }
  return V::sum(sum) + rest;
}

template <class V>
void layer_norm(const float* x, const float* w, const float* b, float* y, int64_t n, float eps) noexcept {
  using F = typename V::F;
  const float mean = sum_of<V>(
                         x, n, [](auto v) __attribute__((always_inline)) { return v; }) /
                     static_cast<float>(n);
  const float squares = sum_of<V>(
      x, n, [=](auto v) __attribute__((always_inline)) {
        const F d = V::sub(v, V::set1(mean));
        return V::mul(d, d);
      });
  const float scale = 1.0f / __builtin_sqrtf(squares / static_cast<float>(n) + eps);
  map2<V>(
      x, w, y, n, [=](auto v, auto weight) __attribute__((always_inline)) {
        return V::mul(V::mul(V::sub(v, V::set1(mean)), V::set1(scale)), weight);
      });
  if (b) add<V>(y, b, y, n);
}

// One head: see KernelTable::rope. Values beyond `dims` pass through.
template <class V>
void rope(const float* x, const float* cos, const float* sin, float* y, int64_t d_head, int64_t dims, bool halves) noexcept {
  const int64_t pairs = dims / 2, apart = halves ? pairs : 1, step = halves ? 1 : 2;
  for (int64_t i = 0; i < pairs; ++i) {
    const float a = x[i * step], b = x[i * step + apart];
    y[i * step] = a * cos[i] - b * sin[i];
    y[i * step + apart] = a * sin[i] + b * cos[i];
  }
  if (y != x)
    for (int64_t i = dims; i < d_head; ++i) y[i] = x[i];
}
