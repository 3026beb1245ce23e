#include "kv/static_spec.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "base/checked.h"
#include "base/error.h"
#include "quant/registry.h"

namespace skald {
namespace {

int64_t fits(std::optional<int64_t> size) {
  if (!size) fail(Errc::kBadInput, "static KV cache: more bytes than 64 bits can count");
  return *size;
}

int64_t product(std::initializer_list<int64_t> factors) {
  int64_t out = 1;
  for (int64_t f : factors) out = fits(checked_mul(out, f));
  return out;
}

void check(const StaticKvSpec& spec) {
  if (spec.context < 2) fail(Errc::kBadInput, "static KV cache: context {}: want 2 or more", spec.context);
  static_kv_format(spec.element_bytes);
  if (spec.layers.empty()) fail(Errc::kBadInput, "static KV cache: no layers");
  for (size_t l = 0; l < spec.layers.size(); ++l) {
    const AttentionState& layer = spec.layers[l];
    if (layer.d_k > 0 && layer.d_v == 0)
      fail(Errc::kUnsupported, "static KV cache: an indexer's keys do not go with fixed shapes");
    if (layer.n_kv_heads < 1 || layer.d_k < 1 || layer.d_v < 1)
      fail(Errc::kBadInput, "static KV cache: layer {}: {} heads with keys of {} and values of {}: want 1 or more of each",
           l, layer.n_kv_heads, layer.d_k, layer.d_v);
  }
}

}  // namespace

StaticReserve static_reserve(double factor) {
  if (factor == 2.0) return StaticReserve::kDouble;
  if (factor == 1.5) return StaticReserve::kOneAndHalf;
  fail(Errc::kBadInput, "static KV cache: reserve {}: want 2.0 or 1.5", factor);
}

const Format& static_kv_format(int64_t element_bytes) {
  if (element_bytes == 1) return format_i8;
  if (element_bytes == 2) return format_f16;
  if (element_bytes == 4) return format_f32;
  fail(Errc::kBadInput, "static KV cache: elements of {} bytes: want 1, 2 or 4", element_bytes);
}

int64_t StaticKvSpec::spare_rows() const {
  return reserve == StaticReserve::kDouble ? window_rows() : std::max<int64_t>(window_rows() / 2, 1);
}

int64_t static_reserve_bytes(const StaticKvSpec& spec, int64_t d) {
  const int64_t halves = spec.reserve == StaticReserve::kDouble ? 4 : 3;  // the factor, doubled
  const int64_t twice = product({halves, spec.window_rows(), d});
  const int64_t elements = std::max(twice / 2 + twice % 2, product({spec.context, d}));
  return product({elements, spec.element_bytes});
}

StaticKvSize static_kv_size(const StaticKvSpec& spec) {
  check(spec);
  StaticKvSize size;
  for (const AttentionState& layer : spec.layers) {
    const auto add = [&](int64_t& sum, int64_t bytes) { sum = fits(checked_add(sum, product({layer.n_kv_heads, bytes}))); };
    add(size.key_bytes, static_reserve_bytes(spec, layer.d_k));
    add(size.value_bytes, static_reserve_bytes(spec, layer.d_v));
    add(size.token_bytes, product({layer.d_k, spec.element_bytes}));
    add(size.token_bytes, product({layer.d_v, spec.element_bytes}));
  }
  size.bytes = fits(checked_add(size.key_bytes, size.value_bytes));
  size.window_bytes = product({spec.window_rows(), size.token_bytes});
  return size;
}

}  // namespace skald
