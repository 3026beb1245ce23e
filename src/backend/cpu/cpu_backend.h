// The CPU backend: a thread pool, the kernel table of the best instruction set, and programs over one shared arena.
#pragma once

#include <memory>
#include <string_view>

#include "backend/backend.h"
#include "backend/cpu/cpu_op.h"
#include "base/thread_pool.h"
#include "kernels/api/kernel_table.h"
#include "tensor/buffer.h"

namespace skald {

class CpuBackend : public Backend {
 public:
  /// `isa` caps the tier (empty: the best that the machine has). Throws kBadInput or kUnsupported for a wrong one.
  /// `fused` false: attention runs as the smaller operations that it stands for, as a check and for comparison.
  CpuBackend(int n_threads, std::string_view isa, bool fused = true);

  BackendInfo info() const override;
  bool supports(const OpDef& op) const override;
  std::unique_ptr<Program> compile(const Graph& graph, const WeightData& weights) override;
  int64_t work_bytes() const override { return arena_.size() + scratch_.size(); }
  Roofline measure_roofline(double seconds) override;
  double peak_of(const Graph& graph, const Node& node, const Roofline& roofline) const override;

  ThreadPool& pool() { return pool_; }
  const KernelTable& kernels() const { return kernels_; }

  /// The arena and the scratch that all programs share, grown to at least these sizes.
  void grow(int64_t arena_bytes, int64_t scratch_bytes);
  std::byte* arena() const { return arena_.data(); }
  std::byte* scratch() const { return scratch_.data(); }

 private:
  KernelTable kernels_;
  ThreadPool pool_;
  bool fused_;
  Buffer arena_, scratch_;
};

/// With `n_threads` threads (0: one per usable CPU) and the instruction set that SKALD_ISA asks for, else the best.
std::unique_ptr<Backend> make_cpu_backend(int n_threads, bool fused = true);

}  // namespace skald
