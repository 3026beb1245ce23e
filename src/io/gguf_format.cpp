// Alignment and tensor sizes of GGUF.
#include "io/gguf_format.h"

#include <bit>

#include "base/checked.h"
#include "base/error.h"
#include "quant/panels.h"

namespace skald::gguf {
namespace {

constexpr int64_t kDefaultAlignment = 32, kMinAlignment = 8, kMaxAlignment = int64_t{16} << 20;

constexpr int64_t kMaxPanelElements = int64_t{1} << 48;  // whose panels, filled up, fit into 63 bits

std::optional<int64_t> bytes_of(const GgufType& type, int64_t elements, const Shape& shape) {
  if (!type.panels) return checked_mul(elements / type.block, type.block_bytes);
  if (elements > kMaxPanelElements) return std::nullopt;
  return type.panels->bytes(shape);
}

}  // namespace

int64_t alignment(const Meta& meta, Errc blame) {
  const MetaValue* value = meta.find(kAlignmentKey);
  if (!value) return kDefaultAlignment;
  const auto* bytes = std::get_if<uint32_t>(value);
  if (!bytes) fail(blame, "key {}: want a uint32", kAlignmentKey);
  if (!std::has_single_bit(*bytes) || *bytes < kMinAlignment || *bytes > kMaxAlignment)
    fail(blame, "key {}: want a power of two from {} to {}, not {}", kAlignmentKey, kMinAlignment, kMaxAlignment, *bytes);
  return *bytes;
}

int64_t tensor_bytes(const GgufType& type, const Shape& shape, Errc blame) {
  if (shape.rank() < 1) fail(blame, "it has no dimensions");
  std::optional<int64_t> elements = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] < 1) fail(blame, "its shape {} has an empty dimension", shape.to_string());
    if (elements) elements = checked_mul(*elements, shape[i]);
  }
  const std::optional<int64_t> bytes = elements ? bytes_of(type, *elements, shape) : std::nullopt;
  if (!bytes) fail(blame, "its shape {} is too large", shape.to_string());
  if (shape.back() % type.block != 0)
    fail(blame, "its rows of {} are not a multiple of the {} elements of a {} block", shape.back(), type.block, type.name);
  return *bytes;
}

}  // namespace skald::gguf
