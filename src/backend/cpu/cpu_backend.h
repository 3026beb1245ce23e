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
  CpuBackend(int n_threads, std::string_view isa);

  std::string_view name() const override { return "cpu"; }
  bool supports(const OpDef& op) const override;
  std::unique_ptr<Program> compile(const Graph& graph, const WeightData& weights) override;

  ThreadPool& pool() { return pool_; }
  const KernelTable& kernels() const { return kernels_; }

  /// The arena and the scratch that all programs share, grown to at least these sizes.
  void grow(int64_t arena_bytes, int64_t scratch_bytes);
  std::byte* arena() const { return arena_.data(); }
  std::byte* scratch() const { return scratch_.data(); }
  int64_t arena_bytes() const { return arena_.size() + scratch_.size(); }

 private:
  KernelTable kernels_;
  ThreadPool pool_;
  Buffer arena_, scratch_;
};

}  // namespace skald
