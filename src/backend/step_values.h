// The values that go into a program and come out of it, by the names that its graph has for them.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "tensor/tensor.h"

namespace skald {

/// A value that a step brings, as an input of the graph takes it: rows of int32 or of floats, all one after the other.
struct StepValue {
  std::string_view name;
  std::variant<const int32_t*, const float*> data;
};

/// The values that a step gave: their actual rows.
class StepOutputs {
 public:
  void add(std::string_view name, const TensorView& value) { values_.push_back({name, value}); }
  void clear() { values_.clear(); }
  /// Throws kInternal for a name that the graph does not give.
  const TensorView& at(std::string_view name) const;
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

  struct Value {
    std::string_view name;
    TensorView view;
  };

 private:
  std::vector<Value> values_;
};

}  // namespace skald
