// CpuOp: how the CPU runs an operation. Threads are used here, not in the kernels. One file per operation in
// backend/cpu/ops.
#pragma once

#include <cstddef>
#include <span>

#include "backend/backend.h"
#include "base/thread_pool.h"
#include "kernels/api/kernel_table.h"

namespace skald {

struct NodeAdapters;

struct CpuContext {
  ThreadPool& pool;
  const KernelTable& kernels;
  const StepArgs* step = nullptr;
  std::byte* scratch = nullptr;            // at least as many as the op asked for
  const NodeAdapters* adapters = nullptr;  // that change its weights; null: none do
};

/// Inputs and output with the step's actual rows.
struct OpArgs {
  std::span<const TensorView> in;
  TensorView out;
};

/// The data that is known when a graph is compiled.
struct CpuPlanArgs {
  const KernelTable& kernels;
  int n_threads;                      // at most this many run it
  std::span<const ValueDesc> in;      // at capacity
  std::span<const TensorView> views;  // of the same; only weights have their memory yet
};

struct CpuOp {
  const OpDef* op;
  void (*run)(CpuContext&, const Attrs&, const OpArgs&);
  /// Bytes of scratch; throws kUnsupported for a format without a kernel. Null: none needed, nothing to check.
  int64_t (*plan)(const Attrs&, const CpuPlanArgs&);
};

/// Returns all of them, one per file (generated).
std::span<const CpuOp* const> cpu_ops();

namespace cpu_op_detail {

template <auto Run, class A>
void run(CpuContext& cx, const Attrs& a, const OpArgs& io) {
  Run(cx, a.get<A>(), io);
}
template <auto Plan, class A>
int64_t plan(const Attrs& a, const CpuPlanArgs& args) {
  return Plan(a.get<A>(), args);
}

}  // namespace cpu_op_detail

template <class A, auto Run, auto Plan = nullptr>
constexpr CpuOp implement(const OpDef& op) {
  CpuOp cpu{.op = &op, .run = cpu_op_detail::run<Run, A>, .plan = nullptr};
  if constexpr (!std::is_null_pointer_v<decltype(Plan)>) cpu.plan = cpu_op_detail::plan<Plan, A>;
  return cpu;
}

}  // namespace skald
