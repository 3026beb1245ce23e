// Reference of the key index.
#pragma once

#include "kernels/cpu/scalar/rows.inl"

inline double code_value(const BlockF16& code) { return static_cast<double>(half_to_float(code.x)); }
inline double code_value(const int8_t& code) { return code; }

template <class C>
void index_scores(const IndexScoresArgs& a) noexcept {
  for (int64_t g = 0; g < a.group; ++g)
    for (int64_t i = 0; i < a.n; ++i) {
      double sum = 0;
      for (int64_t c = 0; c < a.k1; ++c) {
        const int64_t at = a.first + i;
        const double scale =
            sizeof(C) == 1 ? static_cast<double>(a.scales[a.dims[c] * (a.run_keys / kPageKeys) + at / kPageKeys]) : 1.0;
        sum += static_cast<double>(a.q[g * a.q_stride + c]) * scale *
               code_value(reinterpret_cast<const C*>(a.codes)[a.dims[c] * a.run_keys + at]);
      }
      a.scores[g * a.scores_stride + i] = static_cast<float>(sum);
    }
}

inline float panel_value(const StoreIndexArgs& a, int64_t i, int64_t j) {
  return a.panels[(i / kPanel * a.panel_d + j) * kPanel + i % kPanel];
}

inline float store_scale(const StoreIndexArgs& a, int64_t j) {
  float largest = 0;
  for (int64_t i = 0; i < kPageKeys; ++i)
    largest = fabsf(panel_value(a, i, j)) > largest ? fabsf(panel_value(a, i, j)) : largest;
  return a.scales[j * (a.run_keys / kPageKeys)] = largest / 127.0f;
}

void store_index_int8(const StoreIndexArgs& a) noexcept {
  for (int64_t j = 0; j < a.d; ++j) {
    const float d = store_scale(a, j);
    const float inverse = d >= __FLT_MIN__ ? 1.0f / d : 0.0f;
    auto* codes = reinterpret_cast<int8_t*>(a.codes) + j * a.run_keys;
    for (int64_t i = 0; i < kPageKeys; ++i) codes[i] = to_code(nearbyintf(panel_value(a, i, j) * inverse));
  }
}

void store_index_f16(const StoreIndexArgs& a) noexcept {
  for (int64_t j = 0; j < a.d; ++j) {
    store_scale(a, j);
    for (int64_t i = 0; i < kPageKeys; ++i)
      reinterpret_cast<uint16_t*>(a.codes)[j * a.run_keys + i] = to_half(panel_value(a, i, j));
  }
}

void add_scaled(float factor, const float* x, float* y, int64_t n) noexcept {
  for (int64_t i = 0; i < n; ++i)
    y[i] = static_cast<float>(static_cast<double>(y[i]) + static_cast<double>(factor) * static_cast<double>(x[i]));
}
