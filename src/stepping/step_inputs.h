// The values that a step brings to a graph, by the names that graphs ask for (Graph::step_inputs).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "backend/step_values.h"
#include "graph/graph.h"
#include "stepping/stepper.h"

namespace skald {

/// A value that graphs may ask for.
struct StepInput {
  std::string_view name;
  /// Appends the values of an item, whose first token is row `first` of the step. The sequence has not grown yet.
  void (*add)(const StepItem& item, int64_t first, std::vector<int32_t>& out) = nullptr;
  /// Of an input of floats: those of an item, a row for each token.
  std::span<const float> (*floats)(const StepItem& item) = nullptr;
};

/// All of them.
std::span<const StepInput> step_inputs();

/// The inputs of one graph: found by name once, and filled in for each step.
class StepInputs {
 public:
  /// Throws kInternal for a name that nothing fills.
  explicit StepInputs(const Graph& graph);
  /// Throws kUnsupported where an item brings values that the graph has no input for, kBadInput where their number is wrong.
  void check(const StepItem& item) const;
  /// As StepArgs::inputs wants them; valid until the next call. To be called before the sequences grow.
  std::span<const StepValue> fill(std::span<const StepItem> items);

 private:
  bool has(std::string_view name) const;
  void want(bool taken, std::string_view name) const;

  struct Value {
    const StepInput* input;
    int64_t cols;  // of a row of floats
    std::vector<int32_t> ints = {};
    std::vector<float> floats = {};
  };
  std::vector<Value> values_;
  std::vector<StepValue> given_;
};

}  // namespace skald
