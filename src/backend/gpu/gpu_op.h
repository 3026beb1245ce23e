// GpuOp: how a device runs an operation: as launches of kernels. One file per operation in backend/gpu/ops.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/gpu/row_forms.h"
#include "backend/gpu/step_block.h"
#include "graph/graph.h"
#include "kernels/gpu/kernel_table.h"

namespace skald::gpu {

struct GpuContext {
  const GpuKernels& kernels;
  simt::Stream stream;
  const StepBlock& block;
};

/// Inputs and output, whose addresses are the device's, with the rows of the whole bucket. What an operation records does
/// not depend on how many rows are there.
struct GpuOpArgs {
  std::span<const TensorView> in;
  TensorView out;
  int64_t rows = 0;                      // of the output at most
  RowCount count;                        // those that are there
  const std::byte* constants = nullptr;  // what the operation asked for
  std::byte* scratch = nullptr;          // likewise
  int* counters = nullptr;               // likewise: zeros, which launches leave as zeros
  std::byte* forms = nullptr;            // memory of forms of rows
  FormPlan form_plan = {};

  /// The forms of the output that are to be made.
  RowForms made_forms() const { return row_forms(form_plan.make, rows, out.cols(), forms); }
};

struct GpuOp {
  const OpDef* op;
  void (*record)(const GpuContext&, const Attrs&, const GpuOpArgs&);  // null: nothing is to be done
  /// Why kernels cannot run the node; empty: they can. Null: they can run all.
  std::string (*refuse)(const GpuKernels&, const Attrs&, std::span<const ValueDesc> in);
  /// Bytes that the operation reads in each step, made when a graph is compiled. Null: none.
  std::vector<std::byte> (*constants)(const Attrs&, std::span<const ValueDesc> in);
  /// Bytes of memory for one call. Null: none.
  int64_t (*scratch)(const Attrs&, std::span<const ValueDesc> in, const ValueDesc& out) = nullptr;
  /// Counters for one call. Null: none.
  int64_t (*counters)(const Attrs&, const ValueDesc& out) = nullptr;
  /// Throws kBadInput for what a step brings: the inputs as the host has them, with the rows that are there; data is null of
  /// those that no step brings. Null: there is nothing to check.
  void (*check)(std::span<const TensorView> in) = nullptr;
  /// It can give a value whose rows are no step's.
  bool fixed_rows = false;
  /// It takes weights that it multiplies by in fragments: views of these are packed.
  bool fragments = false;
  /// Whether it can make forms of what it gives. Null: it cannot.
  bool (*makes_forms)(const Attrs&) = nullptr;
};

/// Returns nullptr for an operation that devices cannot run.
const GpuOp* find_gpu_op(const OpDef& op);

inline Matrix matrix(const TensorView& t) { return {t.as(), t.row_step()}; }
inline WeightRows weight_rows(const TensorView& t) { return {t.data, t.desc.row_bytes(), t.rows(), t.cols()}; }
/// Why no kernel of a table by formats does `what` with one of the weights; empty: there are kernels for all.
template <class Launches>
std::string refuse_formats(const Launches& kernels, std::span<const ValueDesc> weights, std::string_view what) {
  for (const ValueDesc& w : weights)
    if (!kernels[w.format->id]) return fmt::format("no kernel {} of type {}", what, w.format->name);
  return {};
}
/// Likewise where kernels move numbers of 4 bytes.
inline std::string refuse_other_words(const ValueDesc& x, std::string_view what) {
  return x.format->block_bytes == 4 ? "" : fmt::format("no kernel {} of type {}", what, x.format->name);
}
/// What a function that makes constants gives.
template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& numbers) {
  const auto bytes = std::as_bytes(std::span(numbers));
  return {bytes.begin(), bytes.end()};
}

namespace gpu_op_detail {

template <auto Record, class A>
void record(const GpuContext& cx, const Attrs& a, const GpuOpArgs& io) {
  Record(cx, a.get<A>(), io);
}
template <auto Refuse, class A>
std::string refuse(const GpuKernels& kernels, const Attrs& a, std::span<const ValueDesc> in) {
  return Refuse(kernels, a.get<A>(), in);
}
template <auto Constants, class A>
std::vector<std::byte> constants(const Attrs& a, std::span<const ValueDesc> in) {
  if constexpr (std::is_invocable_v<decltype(Constants), const A&>)
    return Constants(a.get<A>());
  else
    return Constants(a.get<A>(), in);
}
template <auto Scratch, class A>
int64_t scratch(const Attrs& a, std::span<const ValueDesc> in, const ValueDesc& out) {
  return Scratch(a.get<A>(), in, out);
}

template <auto Counters, class A>
int64_t counters(const Attrs& a, const ValueDesc& out) {
  return Counters(a.get<A>(), out);
}

}  // namespace gpu_op_detail

template <class A, auto Record, auto Refuse = nullptr, auto Constants = nullptr, auto Scratch = nullptr,
          auto Counters = nullptr>
constexpr GpuOp implement_on_gpu(const OpDef& op) {
  GpuOp gpu{.op = &op, .record = gpu_op_detail::record<Record, A>, .refuse = nullptr, .constants = nullptr};
  if constexpr (!std::is_null_pointer_v<decltype(Refuse)>) gpu.refuse = gpu_op_detail::refuse<Refuse, A>;
  if constexpr (!std::is_null_pointer_v<decltype(Constants)>) gpu.constants = gpu_op_detail::constants<Constants, A>;
  if constexpr (!std::is_null_pointer_v<decltype(Scratch)>) gpu.scratch = gpu_op_detail::scratch<Scratch, A>;
  if constexpr (!std::is_null_pointer_v<decltype(Counters)>) gpu.counters = gpu_op_detail::counters<Counters, A>;
  return gpu;
}

/// The same, with a check of what steps bring.
constexpr GpuOp with_check(GpuOp op, void (*check)(std::span<const TensorView>)) {
  op.check = check;
  return op;
}

/// The same, with weights that it multiplies by in fragments.
constexpr GpuOp in_fragments(GpuOp op) {
  op.fragments = true;
  return op;
}

/// The same, which can make forms of what it gives: where rows have one part, if they have parts.
template <class A>
constexpr GpuOp making_forms(GpuOp op) {
  op.makes_forms = [](const Attrs& a) {
    if constexpr (requires(const A& x) { x.parts; })
      return a.get<A>().parts == 1;
    else
      return true;
  };
  return op;
}

}  // namespace skald::gpu

namespace skald {

using gpu::GpuOp;
/// Returns all of them, one per file (generated).
std::span<const GpuOp* const> gpu_ops();

}  // namespace skald
