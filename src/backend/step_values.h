// The values that go into a program and come out of it, by the names that its graph has for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "graph/graph.h"
#include "tensor/best_tokens.h"
#include "tensor/device_memory.h"
#include "tensor/tensor.h"

namespace skald {

/// A value that a step brings, as an input of the graph takes it: rows of int32 or of floats, all one after the other.
struct StepValue {
  std::string_view name;
  std::variant<const int32_t*, const float*> data;
};

/// A value that a step gave: its actual rows, and the memory that they lie in.
struct StepOutput {
  std::string_view name;
  TensorView rows;
  DeviceMemory* memory;
  std::span<const BestTokens> best = {};  // of rows of logits, where the device tells
};

/// The host's memory of an input of the graph, a node, among the values that a step brings. Throws kInternal where it is
/// missing or of another type.
const std::byte* step_input(const Node& node, std::span<const StepValue> values);

class StepOutputs {
 public:
  void add(const StepOutput& output) { all_.push_back(output); }
  void clear() { all_.clear(); }
  /// Throws kInternal for a name that the graph does not give.
  const StepOutput& at(std::string_view name) const;
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::vector<StepOutput> all_;
};

}  // namespace skald
