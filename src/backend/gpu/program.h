// GpuProgram: a graph as launches over one arena, recorded once and replayed. Places of values are known when it is
// compiled, at the bucket's rows.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "backend/gpu/best_rows.h"
#include "backend/gpu/fusion.h"
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
    FormPlan forms = {};  // of steps that are recorded
  };
  /// What launches were given besides the graph: where one changes, they are recorded again.
  struct Given {
    std::byte *arena = nullptr, *scratch = nullptr;
    int64_t layout = 0;  // of the block
    std::vector<std::pair<std::byte*, int64_t>> bound = {};
    bool operator==(const Given&) const = default;
  };
  StepBlock::Most most() const;
  void bring(const StepArgs& step);
  void check(const StepArgs& step) const;
  void place_values(const StepArgs& step);
  void note_forms();
  FormUse form_use(const Step& s) const;
  /// `in`: holds the inputs.
  GpuOpArgs args_of(const Step& s, const FormPlan& forms, std::vector<TensorView>& in) const;
  GpuContext context() { return {backend_.device().kernels(), backend_.device().stream(), block_}; }
  void check_launches(const Step& s);
  void record(const Step& s, const FormPlan& forms);
  void record_together(const Fusion& fusion, std::span<const Step> steps);
  void record_all();
  void record_best();
  void run_at_once();
  void run_one_by_one(const StepArgs& step);
  void show(const Step& s, const StepArgs& step);
  std::vector<ValueDesc> descs(std::span<const int> nodes) const;
  TensorView with_rows(int node, const StepStats& stats) const;

  GpuBackend& backend_;
  Graph graph_;
  std::vector<Fusion> fusions_;
  MemoryPlan plan_;
  std::vector<Step> steps_;
  std::vector<int> inputs_;  // nodes whose values steps bring
  std::vector<StepBlock::Input> brought_;
  std::vector<TensorView> views_;      // per node, at capacity
  std::vector<std::byte*> fragments_;  // per node: of weights that lie so
  std::unique_ptr<GpuBuffer> counters_;
  std::optional<BestRows> best_;  // of a graph that gives logits
  int best_of_ = -1;              // the node that does
  int64_t form_bytes_ = 0;        // of the scratch: before what operations ask for
  StepBlock block_;
  Given given_;
  std::unique_ptr<Recording> recording_;
  StepOutputs outputs_;
};

}  // namespace skald::gpu
