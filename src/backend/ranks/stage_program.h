// StageProgram: a rank's part of a step that goes through stages: its layers, and the values that cross between stages.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/ranks/stage_group.h"
#include "backend/ranks/stage_place.h"
#include "comm/group.h"
#include "graph/split.h"

namespace skald {

/// All stages compute at the same time, each another piece of the step: in tick t part p of the graph has piece t - p.
/// Values that other stages read are sent at the end of the tick. The last part is the first stage's, and takes the whole
/// step.
class StageProgram {
 public:
  /// `graph` is that of all stages, `weights` those of the rank's own stage. `group`, of all ranks, must outlive it. Throws
  /// kUnsupported where a part but the last gives outputs of the graph.
  StageProgram(const Graph& graph, const StagePlace& place, Backend& backend, const DeviceWeights& weights, Group& group);

  const StagePlace& place() const { return place_; }
  /// The graph of all stages.
  const Graph& graph() const { return place_.stages == 1 ? parts_.back().program->graph() : graph_; }

  /// Computes this rank's parts of the pieces, which come in the order of their rows.
  void run(std::span<const StepArgs> pieces);
  /// Of the first stage: ends the step that the pieces were cut from, after run().
  const StepOutputs& finish(const StepArgs& whole) { return run_part(parts_.back(), whole, {}); }

 private:
  struct Part {
    std::unique_ptr<Program> program = {};  // null: of another stage
    std::vector<int> bound = {};            // the nodes whose values it is bound to
  };
  /// A value that a part gives to another stage.
  struct Transfer {
    int64_t part;
    int node, from, to;  // stages
  };
  /// The rows of a step that come before a piece.
  struct Before {
    int64_t tokens = 0, outputs = 0;
  };
  /// Where a value that crosses lies, of the whole step.
  struct Crossing {
    ValueDesc desc;
    std::unique_ptr<DeviceBuffer> buffer;
  };
  void take_stage(Backend& backend, const DeviceWeights& weights);
  void find_transfers(std::span<const GraphPart> parts);
  void bind(const GraphPart& part, Part& own);
  const StepOutputs& run_part(Part& part, const StepArgs& step, const Before& before);
  void hand_over(int64_t tick, std::span<const StepArgs> pieces, std::span<const Before> before);
  std::span<std::byte> rows_of(int node, const StepStats& stats, const Before& before) const;

  const StagePlace place_;
  Group& group_;
  Graph graph_;  // where there are several stages
  StageGroup own_group_;
  std::vector<Part> parts_;
  std::vector<Transfer> transfers_;
  std::map<int, Crossing> crossings_;  // by the node, of those that this rank's parts are bound to
  std::vector<BoundValue> bound_;      // of the running part
};

}  // namespace skald
