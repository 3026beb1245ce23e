// SparseLayers: which rows of a step attend to few keys, in each layer and on each KV head, as kernels are told; and what
// came of it, as callers are told.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "graph/ops/attention.h"
#include "kernels/gpu/args.h"

namespace skald::gpu {

class SparseLayers {
 public:
  /// Of the graph's attentions that may be sparse. None: nothing else does anything.
  explicit SparseLayers(const Graph& graph);
  SparseLayers() = default;

  /// `sequences`: where the rows of each are in the step. Throws kUnsupported naming what kernels cannot do.
  void collect(const StepArgs& step, std::span<const SequenceRows> sequences);
  /// `results`: of a layer, (rows(), KV heads, tiles). Adds what was read to the step's counts, and errors to those of its
  /// policies.
  void tell(const StepArgs& step, size_t layer, std::span<const SparseResult> results) const;

  size_t layers() const { return layers_.size(); }
  /// The number of an attention among the layers.
  size_t layer_of(const Attention& a) const;
  int64_t heads(size_t layer) const { return layers_[layer].n_kv_heads; }
  int64_t tiles(size_t layer) const;
  int64_t results(size_t layer) const { return rows() * heads(layer) * tiles(layer); }

  // Of the step.

  /// Rows of the list, some of whose keys are left out in some layer.
  int64_t rows() const { return std::ssize(list_); }
  std::span<const int32_t> numbers() const { return numbers_; }  // (tokens): in the list, or -1
  std::span<const SparseRow> rows(size_t layer) const { return rows_[layer]; }
  std::span<const SparseHead> heads_of(size_t layer) const { return heads_[layer]; }  // (rows(), KV heads)

 private:
  void list_rows(const StepArgs& step);
  bool collect(const StepArgs& step, std::span<const SequenceRows> sequences, size_t layer);
  void tell(const StepArgs& step, size_t layer, size_t at, std::span<const SparseResult> results) const;

  std::vector<Attention> layers_;
  std::vector<int32_t> list_, numbers_;  // (rows): their numbers in the step
  std::vector<std::vector<SparseRow>> rows_;
  std::vector<std::vector<SparseHead>> heads_;
};

}  // namespace skald::gpu
