// SynthRecipe: the parts of a made-up model, before any of its weights exist.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/meta.h"
#include "graph/net.h"
#include "tensor/tensor.h"

namespace skald {

/// The options of a made-up model.
struct SynthSpec {
  std::string shape, type;  // a name of model_shape.h; a format's
  int64_t n_layers = 0;     // this many from the first on; 0: all
};

/// Weights are a table of random numbers laid out again and again: their places matter for speed, not their values.
struct SynthRecipe {
  struct Weight {
    std::string name;
    TensorDesc tensor;
  };
  using Take = std::function<void(std::span<const std::byte>)>;

  Meta meta;                    // hyperparameters
  std::vector<Weight> weights;  // as the family's graph asks for them
  const Format* type;           // of most weights
  // The tables: for matrices of each type; for f32 vectors and small weights; for those that make states fade.
  std::map<const Format*, std::vector<std::byte>> matrices;
  std::vector<std::byte> floats, decays;

  /// Hands the weight's bytes to `take`, in pieces.
  void give(const Weight& weight, const Take& take) const;
  int64_t bytes() const;  // of all weights

 private:
  const std::vector<std::byte>& table_of(const Weight& weight) const;
};

/// Vectors, biases and the matrices that route are f32, as in real files. Throws kBadInput for an unknown shape or type.
SynthRecipe synth_recipe(const SynthSpec& spec);

/// Makes the graph of a step of this model. Throws as synth_recipe() does.
Graph shape_graph(const SynthSpec& spec, StepCapacity capacity);

}  // namespace skald
