// Reference row operations and conversions.
#pragma once

void add(const float* a, const float* b, float* y, int64_t n) noexcept {
  for (int64_t i = 0; i < n; ++i) y[i] = a[i] + b[i];
}

void mul(const float* a, const float* b, float* y, int64_t n) noexcept {
  for (int64_t i = 0; i < n; ++i) y[i] = a[i] * b[i];
}

void scale(float factor, const float* x, float* y, int64_t n) noexcept {
  for (int64_t i = 0; i < n; ++i) y[i] = factor * x[i];
}

void add_scaled(float factor, const float* x, float* y, int64_t n) noexcept {
  for (int64_t i = 0; i < n; ++i)
    y[i] = static_cast<float>(static_cast<double>(y[i]) + static_cast<double>(factor) * static_cast<double>(x[i]));
}

void rms_norm(const float* x, const float* w, float* y, int64_t n, float eps) noexcept {
  double squares = 0;
  for (int64_t i = 0; i < n; ++i) squares += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  const double scale = 1.0 / sqrt(squares / static_cast<double>(n) + static_cast<double>(eps));
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(static_cast<double>(x[i]) * scale * static_cast<double>(w[i]));
}

void layer_norm(const float* x, const float* w, const float* b, float* y, int64_t n, float eps) noexcept {
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]);
  const double mean = sum / static_cast<double>(n);
  for (int64_t i = 0; i < n; ++i) squares += (static_cast<double>(x[i]) - mean) * (static_cast<double>(x[i]) - mean);
  const double scale = 1.0 / sqrt(squares / static_cast<double>(n) + static_cast<double>(eps));
  for (int64_t i = 0; i < n; ++i) {
    const double normed = (static_cast<double>(x[i]) - mean) * scale * static_cast<double>(w[i]);
    y[i] = static_cast<float>(normed + (b ? static_cast<double>(b[i]) : 0.0));
  }
}

void softcap(const float* x, float cap, float* y, int64_t n) noexcept {
  const double c = static_cast<double>(cap);
  for (int64_t i = 0; i < n; ++i)  // a logit that is not finite becomes no number, not the limit
    y[i] = static_cast<float>(c * tanh(static_cast<double>(x[i]) / c)) + x[i] * 0.0f;
}

void rope(const float* x, const float* cosines, const float* sines, float* y, int64_t d_head, int64_t dims,
          bool halves) noexcept {
  const int64_t pairs = dims / 2, apart = halves ? pairs : 1, step = halves ? 1 : 2;
  for (int64_t i = 0; i < pairs; ++i) {
    const double a = static_cast<double>(x[i * step]), b = static_cast<double>(x[i * step + apart]);
    const double c = static_cast<double>(cosines[i]), s = static_cast<double>(sines[i]);
    y[i * step] = static_cast<float>(a * c - b * s);
    y[i * step + apart] = static_cast<float>(a * s + b * c);
  }
  if (y != x)
    for (int64_t i = dims; i < d_head; ++i) y[i] = x[i];
}

// Round to nearest even among the values that fewer bits can hold.
inline uint16_t to_half(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000u);
  const double magnitude = static_cast<double>(x < 0 ? -x : x);
  if (x != x) return static_cast<uint16_t>(sign | 0x7e00u);
  if (magnitude >= 65520.0) return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x1p-14) return static_cast<uint16_t>(sign | static_cast<uint16_t>(nearbyint(magnitude * 0x1p24)));
  int exponent;
  const double fraction = frexp(magnitude, &exponent);                     // in [0.5, 1)
  const auto steps = static_cast<uint32_t>(nearbyint(fraction * 2048.0));  // 1024 to 2048: a carry moves to the exponent
  return static_cast<uint16_t>(sign | (static_cast<uint32_t>(exponent + 13) * 1024u + steps));
}

void store_f32(const float* x, void* y, int64_t n) noexcept { std::memcpy(y, x, static_cast<size_t>(n) * sizeof(float)); }

void store_f16(const float* x, void* y, int64_t n) noexcept {
  for (int64_t i = 0; i < n; ++i) static_cast<uint16_t*>(y)[i] = to_half(x[i]);
}

inline uint16_t to_brain(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  if (x != x) bits &= 0xffff0000u;  // which might carry
  return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

void to_bf16(const float* x, void* y, int64_t n) noexcept {
  auto* out = static_cast<uint16_t*>(y);
  for (int64_t i = 0; i < (n + 31) / 32 * 32; ++i) out[i] = i < n ? to_brain(x[i]) : uint16_t{0};
}

void store_bf16(const float* x, void* y, int64_t n) noexcept {
  for (int64_t i = 0; i < n; ++i) static_cast<uint16_t*>(y)[i] = to_brain(x[i]);
}

inline void store_value(float x, BlockF32* out) { out->x = x; }
inline void store_value(float x, BlockF16* out) { out->x = to_half(x); }
inline void store_value(float x, BlockBf16* out) { out->x = to_brain(x); }

// max(largest, |x|); a NaN is larger than all numbers.
inline float larger_magnitude(float largest, float x) {
  const float magnitude = fabsf(x);
  return magnitude > largest || magnitude != magnitude ? magnitude : largest;
}

// Codes of the cache: saturating, as in the vector tiers' conversions.
inline int8_t to_code(float x) { return static_cast<int8_t>(x >= 127.0f ? 127 : x > -128.0f ? static_cast<int>(x) : -128); }

// Within +-127, so that the range is the same on both sides.
void store_i8(const float* x, void* y, int64_t n) noexcept {
  auto* out = static_cast<BlockI8*>(y);
  for (int64_t i = 0; i < n; ++i) out[i].x = to_code(nearbyintf(x[i] > 127.0f ? 127.0f : x[i] > -127.0f ? x[i] : -127.0f));
}

void store_q8_0(const float* x, void* y, int64_t n) noexcept {
  auto* block = static_cast<BlockQ8_0*>(y);
  for (int64_t at = 0; at < n; at += BlockQ8_0::kSize, ++block) {
    float largest = 0;
    for (int i = 0; i < BlockQ8_0::kSize; ++i) largest = larger_magnitude(largest, x[at + i]);
    const float d = largest / 127.0f;
    const float inverse = d >= __FLT_MIN__ ? 1.0f / d : 0.0f;
    for (int i = 0; i < BlockQ8_0::kSize; ++i) block->q[i] = to_code(nearbyintf(x[at + i] * inverse));
    block->d = to_half(d);
  }
}

void store_q4_0(const float* x, void* y, int64_t n) noexcept {
  auto* block = static_cast<BlockQ4_0*>(y);
  for (int64_t at = 0; at < n; at += BlockQ4_0::kSize, ++block) {
    float highest = 0, largest = 0;
    for (int i = 0; i < BlockQ4_0::kSize; ++i) {
      highest = x[at + i] > highest ? x[at + i] : highest;
      largest = larger_magnitude(largest, x[at + i]);
    }
    const float d = (highest == largest ? -largest : largest) / 8.0f;
    const float inverse = d >= __FLT_MIN__ || d <= -__FLT_MIN__ ? 1.0f / d : 0.0f;
    const auto code = [&](int i) {
      const int rounded = to_code(floorf(x[at + i] * inverse + 0.5f));
      return rounded > 7 ? 15 : rounded + 8;
    };
    for (int i = 0; i < 16; ++i) block->q[i] = static_cast<uint8_t>(code(i) | code(i + 16) << 4);
    block->d = to_half(d);
  }
}

// The same operations in the same order as the vector tiers: equal codes and scales everywhere.
void quantize_q8(const float* x, void* y, int64_t k) noexcept {
  auto* q = static_cast<int8_t*>(y);
  const ActQ8Row row(k);
  auto* scales = reinterpret_cast<float*>(q + row.scales);
  auto* starts = reinterpret_cast<int32_t*>(q + row.starts);
  auto* halves = reinterpret_cast<int32_t*>(q + row.halves);
  auto* totals = reinterpret_cast<float*>(q + row.totals);
  auto* negatives = reinterpret_cast<int32_t*>(q + row.negatives);
  for (int64_t b = 0; b < k / kActQ8Block; ++b) {
    const float* block = x + b * kActQ8Block;
    float largest = 0;  // not finite where a value is not: rounding hides nothing
    for (int i = 0; i < kActQ8Block; ++i) largest = larger_magnitude(largest, block[i]);
    const float d = largest / 127.0f;
    const float inverse = d >= __FLT_MIN__ ? 1.0f / d : 0.0f;
    for (int i = 0; i < kActQ8Block; ++i) {
      // Beside a scale that is not finite, codes are those of the vector tiers' conversions.
      const float scaled = nearbyintf(block[i] * inverse);
      q[b * kActQ8Block + i] = static_cast<int8_t>(scaled >= 127.0f   ? 127
                                                   : scaled > -128.0f ? static_cast<int>(scaled)
                                                                      : -128);
    }
    scales[b] = d;
    int32_t first = 0, second = 0, negative = 0;
    for (int i = 0; i < kActQ8Block / 2; ++i) {
      const int32_t x1 = q[b * kActQ8Block + i], x2 = q[b * kActQ8Block + kActQ8Block / 2 + i];
      first += x1;
      second += x2;
      negative -= (x1 < 0 ? x1 : 0) + (x2 < 0 ? x2 : 0);
    }
    starts[b] = -128 * (first + second);
    halves[2 * b] = -128 * first;
    halves[2 * b + 1] = -128 * second;
    totals[b] = d * static_cast<float>(first + second);
    negatives[b] = negative;
  }
}
