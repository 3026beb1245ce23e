// WeightSet: a model's weights, by name. The bytes belong to the maker of the set.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/gguf.h"
#include "tensor/tensor.h"
#include "tensor/weight_source.h"

namespace skald {

struct WeightSet {
  struct Weight {
    const GgufType* type;
    Shape shape;
    const std::byte* data;  // null: the bytes are `pieces`, one after the other
    int64_t bytes;
    std::vector<std::span<const std::byte>> pieces = {};
  };
  std::unordered_map<std::string, Weight> weights;

  /// Throws kUnsupported naming the tensor when the engine cannot compute with its type.
  std::optional<TensorDesc> find(std::string_view name) const;
  WeightPlace place(std::string_view name) const;
  /// Whether the bytes lie in panels (quant/panels.h).
  bool in_panels(std::string_view name) const { return weights.at(std::string(name)).type->panels != nullptr; }
  /// Throws kBadFile naming a small tensor of floats (a norm, a bias) with a value that is NaN or infinite.
  void want_finite_small_ones() const;
  int64_t parameters() const;
  int64_t bytes() const;
  /// Returns the format that most of the parameters have: "q8_0".
  std::string main_format() const;
};

}  // namespace skald
