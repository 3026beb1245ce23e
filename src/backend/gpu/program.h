// GpuProgram: a graph as launches over one arena. Places of values are known when it is compiled, at the bucket's rows.
#pragma once

#include <memory>
#include <vector>

#include "backend/gpu/gpu_backend.h"
#include "backend/gpu/gpu_op.h"
#include "backend/gpu/weights.h"
#include "graph/memory_plan.h"

namespace skald::gpu {

class GpuProgram : public Program {
 public:
  /// `backend` and `weights` must outlive the program; `graph` has only operations that the backend supports.
  GpuProgram(GpuBackend& backend, Graph graph, const GpuWeights& weights);

  const StepOutputs& run(const StepArgs& step) override;
  const Graph& graph() const override { return graph_; }

 private:
  struct Step {
    const GpuOp* gpu;
    int node;
    std::unique_ptr<GpuBuffer> constants;
  };
  void bring(const StepArgs& step);
  void place_values(std::span<const BoundValue> bound);
  void record(const Step& s, const StepArgs& step);
  void run_one_by_one(const StepArgs& step);
  void show(const Step& s, const StepArgs& step);
  const std::byte* host_input(int node) const;
  std::vector<ValueDesc> descs(std::span<const int> nodes) const;
  TensorView with_rows(int node, const StepStats& stats) const;

  GpuBackend& backend_;
  Graph graph_;
  MemoryPlan plan_;
  std::vector<Step> steps_;
  std::vector<int> inputs_;  // nodes whose values steps bring
  std::vector<StepBlock::Input> given_;
  std::vector<TensorView> views_;      // per node, at capacity
  std::vector<std::byte*> fragments_;  // per node: of weights that lie so
  std::vector<TensorView> in_;         // of the operation that is recorded
  std::vector<const std::byte*> host_;
  std::unique_ptr<GpuBuffer> counters_;
  StepBlock block_;
  StepOutputs outputs_;
};

}  // namespace skald::gpu
