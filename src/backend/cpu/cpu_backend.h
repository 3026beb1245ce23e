// The CPU backend: a thread pool, the kernel table of the best instruction set, and programs over one shared arena.
#pragma once

#include <memory>
#include <string_view>

#include "backend/backend.h"
#include "backend/cpu/cpu_op.h"
#include "base/cpu_placement.h"
#include "base/thread_pool.h"
#include "kernels/api/kernel_table.h"
#include "tensor/buffer.h"

namespace skald {

class CpuBackend : public Backend {
 public:
  /// `isa` caps the tier (empty: the best that the machine has). Throws kBadInput or kUnsupported for a wrong one.
  /// `fused` false: attention runs as the smaller operations that it stands for, as a check and for comparison.
  CpuBackend(ThreadPlan threads, std::string_view isa, bool fused = true);
  CpuBackend(int n_threads, std::string_view isa, bool fused = true) : CpuBackend({n_threads, n_threads}, isa, fused) {}

  BackendInfo info() const override;
  bool supports(const OpDef& op) const override;
  std::unique_ptr<Program> compile(const Graph& graph, const WeightData& weights) override;
  int64_t work_bytes() const override { return arena_.size() + scratch_.size(); }
  Roofline measure_roofline(double seconds) override;
  double peak_of(const Graph& graph, const Node& node, const Roofline& roofline) const override;

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
  bool fused_;
  Buffer arena_, scratch_;
};

/// With these threads, and the instruction set that SKALD_ISA asks for, else the best. Throws kBadInput as plan_threads()
/// does.
std::unique_ptr<Backend> make_cpu_backend(const ThreadOptions& threads, bool fused = true);

}  // namespace skald
