// Names of the values that steps give.
#pragma once

namespace skald::output_names {

inline constexpr const char* kLogits = "logits";  // (outputs, n_vocab)
inline constexpr const char* kStates = "states";  // after the last norm (outputs, d_model), which logits are made of
inline constexpr const char* kHidden = "hidden";  // likewise, of all tokens (tokens, d_model)
inline constexpr const char* kHead = "head";      // of the layers after pooled states: vectors or scores

}  // namespace skald::output_names
