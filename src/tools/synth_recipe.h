// SynthRecipe: what a made-up model consists of, before any of its weights exist.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/meta.h"
#include "tensor/tensor.h"

namespace skald {

/// Weights are a table of random numbers laid out again and again: what matters for speed is where they lie, not what they
/// are.
struct SynthRecipe {
  struct Weight {
    std::string name;
    TensorDesc tensor;
  };
  using Take = std::function<void(std::span<const std::byte>)>;

  Meta meta;                              // hyperparameters
  std::vector<Weight> weights;            // as the family's graph asks for them
  std::vector<std::byte> matrix, vector;  // the tables, for weights of two dimensions and of one

  /// Hands the weight's bytes to `take`, in pieces.
  void give(const Weight& weight, const Take& take) const;
  int64_t bytes() const;  // of all weights
};

/// `shape` is a name of model_shape.h and `type` a format's; weights of one dimension are f32. Throws kBadInput for an
/// unknown one.
SynthRecipe synth_recipe(std::string_view shape, std::string_view type);

}  // namespace skald
