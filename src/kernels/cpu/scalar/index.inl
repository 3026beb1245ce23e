// Reference of the key index.
#pragma once

#include "kernels/cpu/scalar/rows.inl"
#include "kernels/generic/index_codes.inl"

inline double code_value(const BlockF16& code) { return static_cast<double>(half_to_float(code.x)); }
inline double code_value(const int8_t& code) { return code; }

template <class C>
void index_scores(const IndexScoresArgs& a) noexcept {
  const IndexColumns shape{a.run_keys, index_of<C>()};
  for (int64_t g = 0; g < a.group; ++g)
    for (int64_t i = 0; i < a.n; ++i) {
      double sum = 0;
      for (int64_t c = 0; c < a.k1; ++c) {
        const std::byte* column = a.run + a.dims[c] * shape.stride();
        const float* scales = reinterpret_cast<const float*>(column + shape.scales());
        const double scale = sizeof(C) == 1 ? static_cast<double>(scales[(a.first + i) / kPageKeys]) : 1.0;
        sum += static_cast<double>(a.q[g * a.q_stride + c]) * scale *
               code_value(reinterpret_cast<const C*>(column)[a.first + i]);
      }
      a.scores[g * a.scores_stride + i] = static_cast<float>(sum);
    }
}

// A key's number by its code of four bits.
inline double nibble_value(const IndexColumns& shape, const std::byte* column, int64_t key) {
  constexpr int64_t kHalf = kPageKeys / 2;
  const int64_t page = key - key % kPageKeys, i = key % kPageKeys;
  const auto number = [&](int64_t numbers) {
    return static_cast<double>(*reinterpret_cast<const float*>(column + numbers + shape.numbers(page)));
  };
  const auto pair = static_cast<int>(column[shape.codes(page) + i % kHalf]);
  const int code = i < kHalf ? pair & 15 : pair >> 4;
  return number(shape.centres()) + (code - 7.5) * number(shape.scales());
}

void index_scores_int4(const IndexScoresArgs& a) noexcept {
  const IndexColumns shape{a.run_keys, KeyIndex::kInt4};
  for (int64_t g = 0; g < a.group; ++g)
    for (int64_t i = 0; i < a.n; ++i) {
      double sum = 0;
      for (int64_t c = 0; c < a.k1; ++c)
        sum += static_cast<double>(a.q[g * a.q_stride + c]) *
               nibble_value(shape, a.run + a.dims[c] * shape.stride(), a.first + i);
      a.scores[g * a.scores_stride + i] = static_cast<float>(sum);
    }
}

inline float panel_value(const StoreIndexArgs& a, int64_t i, int64_t j) {
  return a.panels[(i / kPanel * a.panel_d + j) * kPanel + i % kPanel];
}

inline float scale_of(const StoreIndexArgs& a, int64_t j) {
  float largest = 0;
  for (int64_t i = 0; i < kPageKeys; ++i) largest = larger_magnitude(largest, panel_value(a, i, j));
  return largest / 127.0f;
}

template <class C, class Encode>
void store_index(const StoreIndexArgs& a, Encode encode) {
  const IndexColumns shape{a.run_keys, index_of<C>()};
  for (int64_t j = 0; j < a.d; ++j) {
    std::byte* column = a.run + j * shape.stride();
    const float scale = scale_of(a, j);
    if (sizeof(C) == 1) reinterpret_cast<float*>(column + shape.scales())[a.first / kPageKeys] = scale;
    for (int64_t i = 0; i < kPageKeys; ++i) reinterpret_cast<C*>(column)[a.first + i] = encode(panel_value(a, i, j), scale);
  }
}

void store_index_int8(const StoreIndexArgs& a) noexcept {
  store_index<int8_t>(a, [](float x, float scale) {
    const float inverse = scale >= __FLT_MIN__ ? 1.0f / scale : 0.0f;
    return to_code(nearbyintf(x * inverse));
  });
}

void store_index_int4(const StoreIndexArgs& a) noexcept {
  for (int64_t j = 0; j < a.d; ++j) {
    float least = panel_value(a, 0, j), most = least;
    for (int64_t i = 1; i < kPageKeys; ++i) {
      least = panel_value(a, i, j) < least ? panel_value(a, i, j) : least;
      most = panel_value(a, i, j) > most ? panel_value(a, i, j) : most;
    }
    const NibbleRange range = nibble_range(least, most);
    int8_t codes[kPageKeys];
    for (int64_t i = 0; i < kPageKeys; ++i)
      codes[i] = static_cast<int8_t>(nearbyintf((panel_value(a, i, j) - range.least) * range.inverse));
    store_nibbles(codes, range, a, j);
  }
}

void store_index_f16(const StoreIndexArgs& a) noexcept {
  store_index<uint16_t>(a, [](float x, float) { return to_half(x); });
}
