#include "backend/gpu/program.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.h"
#include "graph/step_observer.h"

namespace skald::gpu {
GpuProgram::GpuProgram(GpuBackend& backend, Graph graph, const GpuWeights& weights)
    : backend_(backend),
      graph_(std::move(graph)),
      plan_(plan_memory(graph_)),
      inputs_(graph_.step_inputs()),
      views_(static_cast<size_t>(graph_.size())),
      fragments_(views_.size()),
      block_(backend.device()) {
  int64_t scratch = 0, counters = 0;
  for (int id = 0; id < graph_.size(); ++id) {
    const Node& node = graph_.node(id);
    TensorView& view = views_[static_cast<size_t>(id)];
    view.desc = backend_.on_device(node).tensor();
    if (node.source == Source::kWeight) {
      view.data = weights.rows(node.name);
      fragments_[static_cast<size_t>(id)] = weights.fragments(node.name);
    }
    if (node.source != Source::kOp) continue;
    Step step{find_gpu_op(*node.op), id, nullptr};
    if (const auto bytes =
            step.gpu->constants ? step.gpu->constants(node.attrs, descs(node.inputs)) : std::vector<std::byte>();
        !bytes.empty()) {
      step.constants = std::make_unique<GpuBuffer>(backend_.device(), std::ssize(bytes), Use::kWork);
      backend_.device().write(step.constants->data(), bytes.data(), std::ssize(bytes));
    }
    if (step.gpu->scratch) scratch = std::max(scratch, step.gpu->scratch(node.attrs, descs(node.inputs), node.out));
    if (step.gpu->counters) counters = std::max(counters, step.gpu->counters(node.attrs, node.out));
    steps_.push_back(std::move(step));
  }
  counters_ = std::make_unique<GpuBuffer>(backend_.device(), counters * static_cast<int64_t>(sizeof(int)), Use::kWork);
  backend_.grow(plan_.arena_bytes, scratch);
}

std::vector<ValueDesc> GpuProgram::descs(std::span<const int> nodes) const {
  std::vector<ValueDesc> out;
  for (const int id : nodes) out.push_back(backend_.on_device(graph_.node(id)));
  return out;
}

// The arena grows with the programs that share it.
void GpuProgram::place_values(std::span<const BoundValue> bound) {
  for (size_t i = 0; i < inputs_.size(); ++i) views_[static_cast<size_t>(inputs_[i])].data = block_.input(i);
  for (size_t i = 0; i < bound.size(); ++i) {
    TensorView& view = views_[static_cast<size_t>(graph_.bound[i])];
    view.data = bound[i].data;
    view.slice_stride = bound[i].slice_stride;
  }
  for (int id = 0; id < graph_.size(); ++id) plan_.place(graph_, id, backend_.arena(), views_);
}

void GpuProgram::bring(const StepArgs& step) {
  given_.clear();
  for (const int id : inputs_) {
    const Node& node = graph_.node(id);
    const TensorDesc desc = with_rows(id, step.stats).desc;
    SKALD_ASSERT(desc.shape[0] <= node.out.shape[0]);
    given_.push_back({step_input(node, step.inputs), desc.bytes()});
  }
  block_.bring(step, given_, graph_.states.size());
  SKALD_ASSERT(step.bound.size() == graph_.bound.size());
  place_values(step.bound);
}

const std::byte* GpuProgram::host_input(int node) const {
  const auto at = std::ranges::find(inputs_, node);
  return at == inputs_.end() ? nullptr : given_[static_cast<size_t>(at - inputs_.begin())].data;
}

TensorView GpuProgram::with_rows(int node, const StepStats& stats) const {
  TensorView view = views_[static_cast<size_t>(node)];
  const ValueDesc& out = graph_.node(node).out;
  if (out.rows != Rows::kFixed) view.desc.shape[0] = stats.rows(out);
  return view;
}

void GpuProgram::record(const Step& s, const StepArgs& step) {
  const Node& node = graph_.node(s.node);
  if (!s.gpu->record) return;
  in_.clear();
  host_.clear();
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const int id = node.inputs[i];
    TensorView& view = in_.emplace_back(views_[static_cast<size_t>(id)]);
    if (std::byte* const at = fragments_[static_cast<size_t>(id)]; at && s.gpu->fragments && node.op->is_factor(i)) {
      view.data = at;
      view.packed = true;
    }
    host_.push_back(host_input(id));
  }
  const int64_t there = step.stats.rows(node.out);
  if (there == 0 && node.out.shape.back() > 0) return;
  const GpuContext cx{backend_.device().kernels(), backend_.device().stream(), block_};
  s.gpu->record(cx, node.attrs,
                {.in = in_,
                 .host = host_,
                 .out = views_[static_cast<size_t>(s.node)],
                 .rows = node.out.shape[0],
                 .count = node.out.rows == Rows::kOutputs ? block_.outputs() : block_.tokens(),
                 .there = there,
                 .constants = s.constants ? s.constants->data() : nullptr,
                 .scratch = backend_.scratch(),
                 .counters = reinterpret_cast<int*>(counters_->data())});
}

// What an operation gets, copied to the host.
void GpuProgram::show(const Step& s, const StepArgs& step) {
  const Node& node = graph_.node(s.node);
  std::vector<std::vector<std::byte>> copies;
  std::vector<TensorView> in;
  for (const int id : node.inputs) {
    TensorView view = with_rows(id, step.stats);
    const int64_t slices = view.desc.shape[0],
                  bytes = slices ? (slices - 1) * view.slice_step() + view.desc.slice_bytes() : 0;
    auto& copy = copies.emplace_back(static_cast<size_t>(bytes));
    if (view.data) backend_.device().read(copy.data(), view.data, bytes);
    view.data = view.data ? copy.data() : nullptr;
    in.push_back(view);
  }
  step.observer->before(graph_, node, in);
}

void GpuProgram::run_one_by_one(const StepArgs& step) {
  for (const Step& s : steps_) {
    if (step.observer) show(s, step);
    const auto start = std::chrono::steady_clock::now();
    record(s, step);
    backend_.device().wait();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (step.profile && s.gpu->record) step.profile->add(graph_, graph_.node(s.node), step.stats, {.seconds = took.count()});
  }
}

const StepOutputs& GpuProgram::run(const StepArgs& step) {
  bring(step);
  try {
    if (step.observer || step.profile)
      run_one_by_one(step);
    else
      for (const Step& s : steps_) record(s, step);
    backend_.device().wait();
  } catch (...) {
    backend_.device().forget();
    backend_.device().clear(counters_->data(), counters_->size());
    throw;
  }
  outputs_.clear();
  for (const GraphOutput& out : graph_.outputs())
    outputs_.add({out.name, with_rows(out.node, step.stats), &backend_.memory()});
  return outputs_;
}

}  // namespace skald::gpu
