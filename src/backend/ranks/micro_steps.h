// MicroSteps: a step in pieces that follow each other through the stages, so that all stages compute at the same time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "backend/backend.h"

namespace skald {

/// Rows [first, end) of a step, all of one sequence, whose rows in it end at `sequence_end`.
struct RowRun {
  int64_t sequence, first, end, sequence_end;
};

class MicroSteps {
 public:
  /// Cuts a step of the graph into at most `n` pieces of whole sequences and, where a prompt is long, of whole pages of it:
  /// the same rows in the same order. Valid until the next call, as long as the step is.
  std::span<const StepArgs> cut(const Graph& graph, const StepArgs& step, int64_t n);

 private:
  struct Piece {
    std::vector<StepStats::Sequence> sequences = {};
    std::vector<KvView> views = {};
    std::vector<float*> recurrent = {};
    std::vector<SparqPolicy> sparq = {};
    std::vector<int32_t> row_seq = {};
    std::vector<std::vector<int32_t>> numbers = {};  // inputs that count the step's rows
    std::vector<StepValue> inputs = {};
  };
  struct Range {
    int64_t first = 0, end = 0;
  };
  static StepArgs make(const Graph& graph, const StepArgs& step, std::span<const int32_t> outputs,
                       std::span<const RowRun> runs, Piece& piece);
  static void take_sequences(const StepArgs& step, std::span<const RowRun> runs, Piece& piece);
  static void take_states(const Graph& graph, const StepArgs& step, std::span<const RowRun> runs, Piece& piece);
  static void take_inputs(const Graph& graph, const StepArgs& step, Range tokens, Range outputs, Piece& piece);

  std::vector<Piece> pieces_;
  std::vector<StepArgs> steps_;
};

/// Returns the pieces that let the stages end a step soonest: each piece reads a stage's weights once more, and a step of
/// many rows, or of long caches, has other work too. Of `weights` bytes of the whole model.
int64_t best_pieces(const Graph& graph, const StepArgs& step, int64_t stages, int64_t weights);

}  // namespace skald
