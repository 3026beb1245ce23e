// Where the keys of a sequence are cut into parts that can be attended to apart and merged in order, and heads into tasks.
#pragma once

#include <algorithm>
#include <cstdint>

namespace skald {

/// Where parts end, on a row with this many KV heads. Depends on the position alone, so that neither the number of threads
/// nor the step's other rows change the result. Parts have 1024 keys at first, or 512 of a single head, so that threads find
/// something to do. Their size doubles with every 32 parts, so that their number stays small. Each begins with memory that
/// no prefetch has asked for: parts of 256 keys take 8 % longer beyond 8192 keys.
struct Parts {
  int64_t first_size;
  constexpr explicit Parts(int64_t n_kv_heads) : first_size(512 * std::min<int64_t>(n_kv_heads, 2)) {}

  /// Returns the end of the part that holds this position.
  constexpr int64_t end(int64_t position) const {
    int64_t size = first_size, base = 0;
    while (position >= base + 32 * size) {
      base += 32 * size;
      size *= 2;
    }
    return base + ((position - base) / size + 1) * size;
  }

  /// Returns the most parts that hold `n_keys` keys: the kept ones, and consecutive ones that begin anywhere in a part.
  constexpr int64_t most(int64_t n_keys) const {
    int64_t parts = 2;
    for (int64_t at = 0; at < n_keys; at = end(at)) ++parts;
    return parts;
  }
};

/// Calls fn(first head, heads) for the tasks of `heads` KV heads on `keys` keys: `most` heads each, fewer towards the end of
/// the work. Threads that take one task after the other then end within about one head of each other. `left`: keys of heads
/// in these tasks and all that follow; afterwards in those that follow.
template <class Fn>
void cut_heads(int64_t heads, int64_t keys, int64_t most, int n_threads, int64_t& left, Fn fn) {
  for (int64_t head = 0, n; head < heads; head += n) {
    const int64_t one_each = n_threads * std::max<int64_t>(keys, 1), share = (left + one_each / 2) / one_each;
    n = std::min(std::clamp<int64_t>(share, 1, most), heads - head);
    fn(head, n);
    left -= n * keys;
  }
}

}  // namespace skald
