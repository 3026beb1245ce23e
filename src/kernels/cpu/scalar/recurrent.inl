// Reference kernels of recurrent layers, with sums in double.
#pragma once

void update_state(const UpdateStateArgs& a) noexcept {
  for (int64_t j = 0; j < a.d; ++j) {
    double sum = 0;
    for (int64_t i = 0; i < a.n; ++i) {
      float& s = a.state[i * a.d + j];
      s = static_cast<float>(static_cast<double>(a.decay[i]) * static_cast<double>(s) +
                             static_cast<double>(a.keys[i]) * static_cast<double>(a.values[j]));
      sum += static_cast<double>(a.queries[i]) * static_cast<double>(s);
    }
    a.out[j] = static_cast<float>(sum);
  }
}

void read_state(const float* state, const float* w, float* y, int64_t n, int64_t d) noexcept {
  for (int64_t j = 0; j < d; ++j) {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += static_cast<double>(w[i]) * static_cast<double>(state[i * d + j]);
    y[j] = static_cast<float>(sum);
  }
}
