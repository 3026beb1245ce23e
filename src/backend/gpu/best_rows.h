// BestRows: the likeliest tokens of a step's logits, chosen on the device: whole rows are read where they do not do.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/gpu/gpu_op.h"
#include "backend/gpu/memory.h"
#include "tensor/best_tokens.h"

namespace skald::gpu {

class BestRows {
 public:
  /// Steps of more rows are read as they are: it is told nothing of them.
  static constexpr int64_t kMostRows = 64;

  /// Returns whether it can be told of a graph's output: logits, of at most kMostRows rows.
  static bool suits(const Graph& graph, const GraphOutput& out);
  /// Bytes of scratch and counters, as an operation asks for them, of logits (rows at most, n_vocab).
  static int64_t scratch(const TensorDesc& logits);
  static int64_t counters(const TensorDesc& logits) { return logits.shape[0]; }
  BestRows(Device& device, const TensorDesc& logits);

  /// Puts the choice among the rows that are there on the stream.
  void record(const GpuContext& cx, const TensorView& logits, std::byte* scratch, int* counters);
  /// Returns those of the last step's rows; valid until the next call.
  std::span<const BestTokens> read(int64_t rows);

 private:
  Device& device_;
  GpuBuffer out_;
  std::vector<BestTokens> rows_;
};

}  // namespace skald::gpu
