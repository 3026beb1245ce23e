// What operations keep between steps. Each stateful operation owns a slot of the graph; the cache holds the slots' content
// for each sequence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

namespace skald {

/// Which positions a query sees: of those up to its own, and of those after it that it may look at.
struct KeyWindow {
  int64_t size = 0;     // number of the last ones at most; 0: all
  int64_t chunk = 0;    // > 0: only those of its own chunk of this length; chunks begin at multiples of it (Llama 4)
  bool around = false;  // those at most size / 2 away from its own, on both sides (encoders)

  /// The first one that the query at position end - 1 sees.
  constexpr int64_t begin(int64_t end) const {
    const int64_t last = size ? std::max<int64_t>(0, end - (around ? size / 2 + 1 : size)) : 0;
    return chunk ? std::max(last, (end - 1) / chunk * chunk) : last;
  }
  /// One after the last one that it sees, where all queries may look at the first `prefix` positions.
  constexpr int64_t end(int64_t end, int64_t prefix) const {
    const int64_t all = std::max(end, prefix);
    return around && size ? std::min(all, end + size / 2) : all;
  }
  friend bool operator==(const KeyWindow&, const KeyWindow&) = default;
};

/// The slot of an attention: keys and values of all tokens, or of a window.
struct AttentionState {
  int64_t n_kv_heads = 0;
  int64_t d_k = 0, d_v = 0;  // per head
  int64_t window = 0;        // keys that a query sees, 0: all
  int64_t group = 1;         // query heads per KV head
  friend bool operator==(const AttentionState&, const AttentionState&) = default;
};

/// The slot of a recurrent operation: a number of floats for each sequence, 0 at its beginning.
struct RecurrentState {
  int64_t floats = 0;
  friend bool operator==(const RecurrentState&, const RecurrentState&) = default;
};

using StateSpec = std::variant<AttentionState, RecurrentState>;

/// The slots of attention, in order.
inline std::vector<AttentionState> attention_states(const std::vector<StateSpec>& states) {
  std::vector<AttentionState> out;
  for (const StateSpec& state : states)
    if (const auto* attention = std::get_if<AttentionState>(&state)) out.push_back(*attention);
  return out;
}

}  // namespace skald
