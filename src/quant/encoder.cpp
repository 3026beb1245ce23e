// Look-ups over the generated list of encoders.
#include "quant/encoder.h"

#include "base/error.h"

namespace skald {
namespace {

const Encoder* find_encoder(const Format& format) {
  for (const Encoder* e : encoders())
    if (e->format == format.id) return e;
  return nullptr;
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

}  // namespace skald
