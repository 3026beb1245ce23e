// What operations keep between steps. Each stateful operation owns a slot of the graph; the cache holds the slots' content
// for each sequence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

namespace skald {

/// Which of the positions up to its own a query sees.
struct KeyWindow {
  int64_t size = 0;   // number of the last ones at most; 0: all
  int64_t chunk = 0;  // > 0: only those of its own chunk of this length; chunks begin at multiples of it (Llama 4)

  /// The first one that the query at position end - 1 sees.
  constexpr int64_t begin(int64_t end) const {
    const int64_t last = size ? std::max<int64_t>(0, end - size) : 0;
    return chunk ? std::max(last, (end - 1) / chunk * chunk) : last;
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
