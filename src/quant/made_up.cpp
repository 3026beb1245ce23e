#include "quant/made_up.h"

#include "base/error.h"

namespace skald {
namespace {

// The upper bits of a linear congruential generator.
class Bits {
 public:
  explicit Bits(uint64_t seed) : state_(seed) {}
  uint32_t next24() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 40);
  }

 private:
  uint64_t state_;
};

}  // namespace

bool can_make_up(const Format& format) { return format.encode || format.set_scales; }

std::vector<std::byte> encoded_or_made_up(const Format& format, std::span<const float> values, float largest,
                                          uint64_t seed) {
  const auto n = static_cast<int64_t>(values.size());
  if (!format.encode) return made_up_weights(format, n, largest, seed);
  std::vector<std::byte> out(static_cast<size_t>(format.bytes(n)));
  format.encode(values.data(), out.data(), n);
  return out;
}

std::vector<std::byte> made_up_weights(const Format& format, int64_t n, float largest, uint64_t seed) {
  SKALD_ASSERT(can_make_up(format));
  Bits bits(seed);
  if (format.encode) {
    std::vector<float> values(static_cast<size_t>(n));
    for (float& v : values) v = (static_cast<float>(bits.next24()) * 0x1p-23f - 1.0f) * largest;
    return encoded_or_made_up(format, values, largest, seed);
  }
  std::vector<std::byte> out(static_cast<size_t>(format.bytes(n)));
  for (std::byte& b : out) b = static_cast<std::byte>(bits.next24() >> 16);
  format.set_scales(out.data(), n, largest);
  return out;
}

}  // namespace skald
