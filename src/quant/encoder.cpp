// Look-ups over the generated list of encoders.
#include "quant/encoder.h"

#include <limits>

#include "base/error.h"
#include "quant/bf16/block.h"
#include "quant/magnitudes.h"

namespace skald {
namespace {

const Encoder* find_encoder(const Format& format) {
  for (const Encoder* e : encoders())
    if (e->format == format.id) return e;
  return nullptr;
}

// As bits of a float.
int32_t largest_bits(const Format& format) {
  const bool wide = format.id == format_f32.id || format.id == BlockBf16::kId;
  return magnitude_bits(wide ? std::numeric_limits<float>::max() : kLargestWeight);
}

}  // namespace

bool has_encoder(const Format& format) { return format.encode || find_encoder(format); }

void encode_weights(const Format& format, const float* x, const float* importance, void* blocks, int64_t n) {
  SKALD_ASSERT(has_encoder(format));
  if (const Encoder* encoder = find_encoder(format))
    encoder->encode(x, importance, blocks, n);
  else
    format.encode(x, blocks, n);
}

int64_t first_unfit(const Format& format, const float* x, int64_t n) {
  const int32_t limit = largest_bits(format);
  int32_t largest = 0;
  for (int64_t i = 0; i < n; ++i) largest = std::max(largest, magnitude_bits(x[i]));
  if (largest <= limit) return n;
  return std::find_if(x, x + n, [&](float v) { return magnitude_bits(v) > limit; }) - x;
}

}  // namespace skald
