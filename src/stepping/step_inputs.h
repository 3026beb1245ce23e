// What a step brings to a graph: ints by the names that graphs ask for (Graph::step_inputs).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "stepping/stepper.h"

namespace skald {

/// An int per token that follows from the token's place in its sequence.
struct StepInput {
  std::string_view name;
  int32_t (*at)(const KvSequence& kv, int64_t i);  // of the i-th token that a step appends to `kv`
};

/// All of them. Besides, graphs may ask for "tokens", "token_types" (0, or 1 of a pair's second text) and "output_rows", the
/// rows whose logits are wanted.
std::span<const StepInput> step_inputs();

/// The inputs of one graph: found by name once, and filled in for each step.
class StepInputs {
 public:
  /// Throws kInternal for a name that nothing fills.
  explicit StepInputs(const Graph& graph);
  /// As StepArgs::inputs wants them; valid until the next call. To be called before the sequences grow.
  std::span<const int32_t* const> fill(std::span<const StepItem> items);

 private:
  using Fill = void (*)(const StepInput*, std::span<const StepItem>, std::vector<int32_t>&);
  struct Value {
    Fill fill;
    const StepInput* input;  // for `fill`; null where it needs none
    std::vector<int32_t> ints = {};
  };
  static Value find(std::string_view name);

  std::vector<Value> values_;
  std::vector<const int32_t*> places_;
};

}  // namespace skald
