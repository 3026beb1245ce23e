#include "kv/copy_keys.h"

#include <vector>

namespace skald {

void copy_keys(DeviceMemory& memory, const KvSpec& spec, size_t group, const std::byte* from, std::byte* to, int64_t keys) {
  std::vector<DeviceMemory::Piece> pieces;
  const auto copy = [&](int64_t at, int64_t bytes, int64_t count = 1, int64_t step = 0) {
    pieces.push_back({to + at, from + at, bytes, count, step, step});
  };
  // Rows, or codes and their scales.
  const auto copy_rows = [&](int64_t at, int64_t stride, const KeyPlace& place) {
    copy(at, keys * stride);
    if (place.scales) copy(at + place.scales, keys * place.scale_stride);
  };
  const KvGroup& of = spec.groups[group];
  for (const int64_t slot : of.slots) {
    const KvView& view = spec.views[static_cast<size_t>(slot)];
    const AttentionState& attention = spec.attention(slot);
    const bool pairs =
        view.k_order == KeyOrder::kRows && view.v_offset < view.k_offset + view.k_stride;  // a value after each key
    for (int64_t head = 0; head < attention.n_kv_heads; ++head) {
      const int64_t k = view.k_offset + head * view.k_head_stride, v = view.v_offset + head * view.v_head_stride;
      const bool coded = view.k_codes != KeyCodes::kNone;  // a page that is not full has no codes
      if (!coded && view.k_order == KeyOrder::kDims) copy(k, spec.k_format->bytes(keys), attention.d_k, view.k_stride);
      if (!coded && view.k_order != KeyOrder::kDims)
        copy_rows(k, view.k_stride, of.k_layout->place(*spec.k_format, attention.d_k));
      if (!pairs) copy_rows(v, view.v_stride, of.v_layout->place(*spec.v_format, attention.d_v));
    }
  }
  memory.copy_all(pieces);
}

}  // namespace skald
