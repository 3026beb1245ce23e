// Reference activations, by their definitions in double.
#pragma once

inline double silu(double x) { return x / (1 + exp(-x)); }
inline double gelu(double x) { return x / 2 * erfc(-x / sqrt(2.0)); }
inline double gelu_tanh(double x) {
  return x / (1 + exp(-2 * sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}
// y = f(x), bounded on a side; no number for an infinite x there.
inline double bounded(double x, double y) { return y + x * 0; }
inline double relu(double x) { return bounded(x, x < 0 ? 0 : x); }
inline double relu_squared(double x) { return bounded(x, x < 0 ? 0 : x * x); }
inline double sigmoid(double x) { return bounded(x, 1 / (1 + exp(-x))); }
inline double clamped_linear(double x) {
  const double limit = static_cast<double>(kClampLimit);
  return bounded(x, 1 + (x > limit ? limit : x < -limit ? -limit : x));
}
inline double clamped_silu(double x) {
  const double limit = static_cast<double>(kClampLimit), c = x > limit ? limit : x;
  return bounded(x, c / (1 + exp(-static_cast<double>(kClampedSlope) * c)));
}
inline double itself(double x) { return x; }

template <double (*F)(double)>
void activation(const float* x, float* y, int64_t n) noexcept {
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(F(static_cast<double>(x[i])));
}

template <double (*F)(double), double (*G)(double)>
void glu(const float* gate, const float* up, float* y, int64_t n) noexcept {
  for (int64_t i = 0; i < n; ++i)
    y[i] = static_cast<float>(F(static_cast<double>(gate[i]))) * static_cast<float>(G(static_cast<double>(up[i])));
}

template <double (*F)(double), double (*G)(double) = itself>
void paint_activation(KernelTable& t, Activation id) {
  t.activation[static_cast<size_t>(id)] = activation<F>;
  t.glu[static_cast<size_t>(id)] = glu<F, G>;
}
