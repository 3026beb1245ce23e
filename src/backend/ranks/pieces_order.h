// The pieces of a step, as the first rank sends them.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/ranks/step_order.h"

namespace skald {

struct StepPieces {
  std::span<const StepArgs> pieces;  // in the order of their rows
  const StepArgs* whole;             // the step that they are cut from; null: it was not sent
};

/// Each piece has a place among those of a step, and is like the one that was there in the step before.
class PiecesWriter {
 public:
  /// Adds the pieces of a step of a program of this graph, and with `whole` the step, unless it is the one piece.
  void write(ByteWriter& to, const Graph& graph, const StepPieces& step, bool whole);

 private:
  StepWriter whole_;
  std::deque<StepWriter> writers_;
};

class PiecesReader {
 public:
  /// Valid until the next call.
  StepPieces read(ByteReader& from, const Graph& graph, const FollowerMemory& memory);

 private:
  StepReader whole_;
  std::deque<StepReader> readers_;
  std::vector<StepArgs> pieces_;
};

}  // namespace skald
