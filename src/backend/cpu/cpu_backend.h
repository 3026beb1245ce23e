// The CPU backend: a thread pool, the kernel table of the best instruction set, and programs over one shared arena.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/cpu_adapter.h"
#include "backend/cpu/cpu_op.h"
#include "backend/cpu/low_rank.h"
#include "backend/cpu/meter.h"
#include "backend/cpu/sum_thread.h"
#include "base/cpu_placement.h"
#include "base/thread_pool.h"
#include "kernels/api/kernel_table.h"
#include "tensor/buffer.h"

namespace skald {

class CpuBackend : public Backend {
 public:
  /// `threads`: the plan of `options`. `isa` caps the tier (empty: the best that the machine has). `more_ops` are operations
  /// beside those of backend/cpu/ops. Throws kBadInput or kUnsupported for a wrong tier.
  CpuBackend(ThreadPlan threads, std::string_view isa, DeviceOptions options = {}, std::vector<const CpuOp*> more_ops = {});
  CpuBackend(int n_threads, std::string_view isa, DeviceOptions options = {}, std::vector<const CpuOp*> more_ops = {})
      : CpuBackend({n_threads, n_threads}, isa, std::move(options), std::move(more_ops)) {}

  BackendInfo info() const override;
  bool supports(const Graph& graph, const Node& node) const override;
  std::shared_ptr<const DeviceWeights> load(const Graph& graph, const WeightSource& source) override;
  std::unique_ptr<Program> compile(const Graph& graph, const DeviceWeights& weights) override;
  std::shared_ptr<const DeviceAdapter> adapt(const Graph& graph, std::shared_ptr<const Adapter> adapter) override;
  void share(int64_t n, const std::function<void(int64_t)>& fn) override;
  int64_t work_bytes() const override { return arena_.size() + scratch_.size(); }
  std::vector<DeviceMemory*> state_memories(const Graph& graph) override {
    return std::vector<DeviceMemory*>(graph.states.size(), &host_memory());
  }
  DeviceMemory& memory() override { return host_memory(); }
  const DeviceMeter& meter() override { return meter_; }

  /// Returns nullptr for an operation that the CPU cannot run.
  const CpuOp* find_op(const OpDef& op) const;
  ThreadPool& pool() { return pool_; }
  /// Returns the threads for a step of this many rows.
  int threads_for(int64_t rows) const;
  const KernelTable& kernels() const { return kernels_; }

  /// The arena and the scratch that all programs share, grown to at least these sizes.
  void grow(int64_t arena_bytes, int64_t scratch_bytes);
  std::byte* arena() const { return arena_.data(); }
  std::byte* scratch() const { return scratch_.data(); }
  /// Made when it is first asked for.
  SumThread& sums();
  SiteNumbers& sites() { return sites_; }
  LowRankMemory& low_rank_memory() { return low_rank_memory_; }

 private:
  KernelTable kernels_;
  int threads_, threads_batch_;
  ThreadPool pool_;  // of the larger number
  DeviceOptions options_;
  std::vector<const CpuOp*> more_ops_;
  Buffer arena_, scratch_;
  std::unique_ptr<SumThread> sums_;
  SiteNumbers sites_;
  LowRankMemory low_rank_memory_;
  CpuMeter meter_{*this};
};

}  // namespace skald
