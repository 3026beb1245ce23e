// The CPU backend: a thread pool, the kernel table of the best instruction set, and programs over one shared arena.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/cpu_op.h"
#include "backend/cpu/meter.h"
#include "base/cpu_placement.h"
#include "base/thread_pool.h"
#include "kernels/api/kernel_table.h"
#include "tensor/buffer.h"

namespace skald {

struct CpuOptions {
  bool fused = true;   // false: attention runs as the smaller operations that it stands for, as a check and for comparison
  bool repack = true;  // false: matmuls read the rows of the weights
  std::vector<const CpuOp*> more_ops = {};    // operations beside those of backend/cpu/ops
  std::function<void(double)> progress = {};  // receives the share of the weights that was repacked
};

class CpuBackend : public Backend {
 public:
  /// `isa` caps the tier (empty: the best that the machine has). Throws kBadInput or kUnsupported for a wrong one.
  CpuBackend(ThreadPlan threads, std::string_view isa, CpuOptions options = {});
  CpuBackend(int n_threads, std::string_view isa, CpuOptions options = {})
      : CpuBackend({n_threads, n_threads}, isa, std::move(options)) {}

  BackendInfo info() const override;
  bool supports(const Graph& graph, const Node& node) const override;
  std::shared_ptr<const DeviceWeights> load(const Graph& graph, const WeightSource& source) override;
  std::unique_ptr<Program> compile(const Graph& graph, const DeviceWeights& weights) override;
  void share(int64_t n, const std::function<void(int64_t)>& fn) override;
  int64_t work_bytes() const override { return arena_.size() + scratch_.size(); }
  DeviceMemory& memory() override { return host_memory(); }
  const DeviceMeter& meter() override { return meter_; }

  /// nullptr for an operation that the CPU cannot run.
  const CpuOp* find_op(const OpDef& op) const;
  ThreadPool& pool() { return pool_; }
  /// Threads for a step of so many rows.
  int threads_for(int64_t rows) const;
  const KernelTable& kernels() const { return kernels_; }

  /// The arena and the scratch that all programs share, grown to at least these sizes.
  void grow(int64_t arena_bytes, int64_t scratch_bytes);
  std::byte* arena() const { return arena_.data(); }
  std::byte* scratch() const { return scratch_.data(); }

 private:
  KernelTable kernels_;
  int threads_, threads_batch_;
  ThreadPool pool_;  // of the larger number
  CpuOptions options_;
  Buffer arena_, scratch_;
  CpuMeter meter_{*this};
};

}  // namespace skald
