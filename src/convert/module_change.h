// ModuleChange: a low-rank change of a module's weight as a checkpoint has it, and the change of a model file's tensor that
// holds elements of that weight.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "adapters/adapter.h"
#include "convert/stored_view.h"

namespace skald {

/// Of a weight (rows, cols), which becomes W + factor * left right^T.
struct ModuleChange {
  std::string module;  // "model.layers.0.self_attn.q_proj"
  int64_t rows = 0, cols = 0, rank = 0;
  std::vector<float> left;   // (rows, rank)
  std::vector<float> right;  // (cols, rank)
  float factor = 1;
  bool is_table = false;  // of tokens, whose rows are looked up

  /// Returns the weight without its elements, for the tables of families: named "<module>.weight".
  StoredTensor weight() const;
  /// The same for the weight with rows as columns.
  ModuleChange transposed() const;
};

/// Returns the change of a weight that a tensor has elements of.
using ChangeOf = std::function<const ModuleChange&(const StoredTensor& weight)>;

/// Returns the change of the tensor `name` of a model file: of a matrix, or of one for each expert or head. Throws
/// kUnsupported naming the module where no change of low rank is the same: a vector, values that a function changes, rows
/// that mix those of the weight.
LowRank change_of_tensor(const std::string& name, const LazyTensor& data, const ChangeOf& change_of);

}  // namespace skald
