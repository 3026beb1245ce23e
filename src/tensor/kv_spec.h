// What one layer's queries see and its KV cache must hold: written down by the graph's attention, read by the cache and its
// layouts.
#pragma once

#include <algorithm>
#include <cstdint>

namespace skald {

/// Which of the positions up to its own a query sees.
struct KeyWindow {
  int64_t size = 0;   // at most so many of the last; 0: all
  int64_t chunk = 0;  // > 0: of its own so many only, which begin at multiples of it (Llama 4)

  /// The first one that the query at position end - 1 sees.
  constexpr int64_t begin(int64_t end) const {
    const int64_t last = size ? std::max<int64_t>(0, end - size) : 0;
    return chunk ? std::max(last, (end - 1) / chunk * chunk) : last;
  }
  friend bool operator==(const KeyWindow&, const KeyWindow&) = default;
};

struct KvLayerSpec {
  int64_t n_kv_heads = 0;
  int64_t d_k = 0, d_v = 0;  // per head
  int64_t window = 0;        // keys that a query sees, 0: all
  int64_t group = 1;         // query heads per KV head
  friend bool operator==(const KvLayerSpec&, const KvLayerSpec&) = default;
};

}  // namespace skald
