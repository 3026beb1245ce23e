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

void scan_state(const ScanStateArgs& a) noexcept {
  for (int64_t t = 0; t < a.tokens; ++t)
    for (int64_t j = 0; j < a.d; ++j) {
      double sum = 0;
      for (int64_t i = 0; i < a.n; ++i) {
        float& s = a.state[i * a.d + j];
        s = static_cast<float>(static_cast<double>(a.decays[t]) * static_cast<double>(s) +
                               static_cast<double>(a.keys[t * a.key_stride + i]) *
                                   static_cast<double>(a.values[t * a.value_stride + j]));
        sum += static_cast<double>(a.queries[t * a.query_stride + i]) * static_cast<double>(s);
      }
      a.out[t * a.out_stride + j] = static_cast<float>(sum);
    }
}

void conv_row(const ConvRowArgs& a) noexcept {
  for (int64_t c = 0; c < a.n; ++c) {
    double sum = static_cast<double>(a.bias[c]);
    for (int64_t t = 0; t < a.taps; ++t)
      sum += static_cast<double>(a.weights[t * a.stride + c]) * static_cast<double>(a.rows[t][c]);
    a.out[c] = static_cast<float>(sum);
  }
}
