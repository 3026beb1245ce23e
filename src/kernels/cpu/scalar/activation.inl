// Reference activations, by their definitions in double.
#pragma once

inline double silu(double x) { return x / (1 + exp(-x)); }
inline double gelu(double x) { return x / 2 * erfc(-x / sqrt(2.0)); }
inline double gelu_tanh(double x) {
  return x / (1 + exp(-2 * sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}
inline double relu(double x) { return x > 0 ? x : 0; }

template <double (*F)(double)>
void activation(const float* x, float* y, int64_t n) noexcept {
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(F(static_cast<double>(x[i])));
}

template <double (*F)(double)>
void glu(const float* gate, const float* up, float* y, int64_t n) noexcept {
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(F(static_cast<double>(gate[i]))) * up[i];
}

template <double (*F)(double)>
void paint_activation(KernelTable& t, Activation id) {
  t.activation[static_cast<size_t>(id)] = activation<F>;
  t.glu[static_cast<size_t>(id)] = glu<F>;
}
