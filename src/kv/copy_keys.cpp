#include "kv/copy_keys.h"

namespace skald {

void copy_keys(DeviceMemory& memory, const KvSpec& spec, size_t group, const std::byte* from, std::byte* to, int64_t keys) {
  const auto copy = [&](int64_t at, int64_t bytes) { memory.copy(to + at, from + at, bytes); };
  for (const int64_t slot : spec.groups[group].slots) {
    const KvView& view = spec.views[static_cast<size_t>(slot)];
    const AttentionState& attention = spec.attention(slot);
    const bool pairs =
        view.k_order == KeyOrder::kRows && view.v_offset < view.k_offset + view.k_stride;  // a value behind each key
    for (int64_t head = 0; head < attention.n_kv_heads; ++head) {
      const int64_t k = view.k_offset + head * view.k_head_stride, v = view.v_offset + head * view.v_head_stride;
      if (view.k_order == KeyOrder::kDims)
        for (int64_t d = 0; d < attention.d_k; ++d) copy(k + d * view.k_stride, spec.k_format->bytes(keys));
      else
        copy(k, keys * view.k_stride);
      if (!pairs) copy(v, keys * view.v_stride);
    }
  }
}

}  // namespace skald
