#include "tensor/finite.h"

#include <algorithm>

namespace skald {
namespace {

// A value is not finite when all bits of its exponent are set. A maximum in lanes is what compilers make vectors of.
template <class Bits, Bits kExponent>
bool finite(const std::byte* values, int64_t n) {
  constexpr int64_t kLanes = 64 / sizeof(Bits);
  const auto* x = reinterpret_cast<const Bits*>(values);
  Bits most[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      most[lane] = std::max<Bits>(most[lane], static_cast<Bits>(x[i + lane] & kExponent));
  for (; i < n; ++i) most[0] = std::max<Bits>(most[0], static_cast<Bits>(x[i] & kExponent));
  return std::ranges::max(most) < kExponent;
}

}  // namespace

bool all_finite(const Format& format, const std::byte* values, int64_t n) {
  if (&format == &format_f32) return finite<uint32_t, 0x7f800000>(values, n);
  if (format.name == "f16") return finite<uint16_t, 0x7c00>(values, n);
  if (format.name == "bf16") return finite<uint16_t, 0x7f80>(values, n);
  return true;
}

void want_finite(const std::string& tensor, const Format& format, std::span<const std::byte> values, int64_t cols) {
  if (format.block != 1) return;
  const int64_t bytes = format.bytes(1);
  if (all_finite(format, values.data(), std::ssize(values) / bytes)) return;
  int64_t i = 0;
  while (all_finite(format, values.data() + i * bytes, 1)) ++i;
  float value = 0;
  format.decode(values.data() + i * bytes, &value, 1);
  fail(Errc::kBadFile, "tensor {}, row {}, column {}: {} is not finite", tensor, i / cols, i % cols, value);
}

}  // namespace skald
