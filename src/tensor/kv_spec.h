// What one layer's KV cache must hold: written down by the graph's attention, read by the cache and its layouts.
#pragma once

#include <cstdint>

namespace skald {

struct KvLayerSpec {
  int64_t n_kv_heads = 0;
  int64_t d_k = 0, d_v = 0;  // per head
  int64_t window = 0;        // keys that a query sees, 0: all
  int64_t group = 1;         // query heads per KV head
  friend bool operator==(const KvLayerSpec&, const KvLayerSpec&) = default;
};

}  // namespace skald
