// CpuProgram: a graph as a flat array of steps with places for all values; running it looks nothing up and allocates
// nothing.
#pragma once

#include <optional>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "graph/memory_plan.h"

namespace skald {

class CpuWeights;

class CpuProgram : public Program {
 public:
  /// `backend` and `weights` must outlive the program; `graph` has only operations that it supports.
  CpuProgram(CpuBackend& backend, Graph graph, const CpuWeights& weights);

  const StepOutputs& run(const StepArgs& step) override;
  const Graph& graph() const override { return graph_; }

 private:
  struct Step {
    const CpuOp* cpu;
    int node;
    std::vector<int> in;     // indices of views
    std::vector<int> sites;  // of each input, by which adapters know it; -1: none does
  };

  /// Where the view of a weight's panels is, for a node that is a weight.
  size_t panels_of(int node) const { return static_cast<size_t>(graph_.size()) + static_cast<size_t>(node); }
  void place_weight(int node, const WeightPlace& place);
  void check_weights(const Step& step) const;
  int64_t plan(const Step& step) const;  // bytes of scratch
  void run_steps(const StepArgs& step);
  int64_t rows_of_sum(int node) const;
  void run_with_sum(const Step& product, const Step& sum, int64_t rows, const StepArgs& step);
  void run(const Step& s, const StepArgs& step);
  std::vector<int> sites_of(const Node& node) const;
  std::optional<NodeAdapters> adapters_of(const Step& s, const StepArgs& step, int64_t first_row, int64_t n_rows) const;
  void run_profiled(const StepArgs& step, Profile& profile);
  void place_values(const StepArgs& step);
  void place_given(const StepArgs& step);

  CpuBackend& backend_;
  Graph graph_;
  std::vector<NodeRange> sum_pairs_;
  MemoryPlan plan_;
  std::vector<Step> steps_;
  std::vector<int> inputs_;  // nodes whose values steps bring
  StepOutputs outputs_;
  std::vector<TensorView>
      views_;  // per node, then their panels; rows and places that depend on the step are set by place_values()
  std::vector<TensorView> in_;  // the inputs of the running operation
};

}  // namespace skald
