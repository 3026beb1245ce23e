// StepCapacity: the step that a graph is made for.
#pragma once

#include <compare>
#include <cstdint>

#include "tensor/format.h"

namespace skald {

/// The most rows that a step of this graph may have, and keys that they may see.
struct StepCapacity {
  int64_t tokens = 1;
  int64_t outputs = 1;
  int64_t keys = 0;      // of one sequence
  bool sparse = false;   // decode steps may read few keys only
  bool shifted = false;  // some sequence has dropped keys after its first ones
  bool states = false;   // gives states (output_names::kStates) alone, and no logits
  bool hidden = false;   // gives the rows of all tokens (output_names::kHidden) too
  /// > 0: of the layer alone that predicts this many tokens further on. It takes hidden rows, and gives its own.
  int64_t ahead = 0;
  bool indexed = false;  // the cache keeps an index of the keys, in a basis where the model has one
  /// > 0: a static graph. Keys and values of this many tokens before the step's are inputs, and those of the step are
  /// further outputs (Graph::bound), all of them in this format; a step has exactly `tokens` rows of one sequence.
  int64_t past = 0;
  const Format* past_format = nullptr;  // i8, or floats
  friend auto operator<=>(const StepCapacity&, const StepCapacity&) = default;
};

}  // namespace skald
