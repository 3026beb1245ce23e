#include "backend/gpu/program.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "graph/step_observer.h"

namespace skald::gpu {

GpuProgram::GpuProgram(GpuBackend& backend, Graph graph, const GpuWeights& weights)
    : backend_(backend),
      graph_(std::move(graph)),
      fusions_(find_fusions(graph_)),
      plan_(plan_memory(graph_, ranges_of(fusions_))),
      inputs_(graph_.step_inputs()),
      views_(static_cast<size_t>(graph_.size())),
      fragments_(views_.size()),
      block_(backend.device(), most()) {
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
  for (const GraphOutput& out : graph_.outputs()) {
    if (!BestRows::suits(graph_, out)) continue;
    const TensorDesc logits = graph_.node(out.node).out.tensor();
    scratch = std::max(scratch, BestRows::scratch(logits));
    counters = std::max(counters, BestRows::counters(logits));
    best_.emplace(backend_.device(), logits);
    best_of_ = out.node;
  }
  counters_ = std::make_unique<GpuBuffer>(backend_.device(), counters * static_cast<int64_t>(sizeof(int)), Use::kWork);
  note_forms();
  backend_.grow(plan_.arena_bytes, form_bytes_ + scratch);
}

FormUse GpuProgram::form_use(const Step& s) const {
  const Node& node = graph_.node(s.node);
  FormUse use;
  for (size_t i = 0; s.gpu->fragments && i < node.inputs.size(); ++i) {
    const int id = node.inputs[i];
    if (!fragments_[static_cast<size_t>(id)] || !node.op->is_factor(i)) continue;
    use.value = node.inputs[0];
    use.columns = graph_.node(id).out.shape.back();
    use.wanted |= form_of(views_[static_cast<size_t>(id)].desc.format->id);
  }
  if (s.gpu->makes_forms && s.gpu->makes_forms(node.attrs)) {
    use.makes = s.node;
    use.columns_of_made = node.out.shape.back();
  }
  return use;
}

void GpuProgram::note_forms() {
  std::vector<FormUse> uses;
  for (const Step& s : steps_) {
    const FormUse& use = uses.emplace_back(form_use(s));
    if (!use.wanted) continue;
    const int64_t parts = graph_.node(use.value).out.shape.back() / use.columns, rows = graph_.node(use.value).out.shape[0];
    form_bytes_ = std::max(form_bytes_, row_forms_bytes(rows * parts, use.columns));
  }
  const std::vector<FormPlan> plans = plan_forms(uses);
  for (size_t i = 0; i < plans.size(); ++i) steps_[i].forms = plans[i];
}

std::vector<ValueDesc> GpuProgram::descs(std::span<const int> nodes) const {
  std::vector<ValueDesc> out;
  for (const int id : nodes) out.push_back(backend_.on_device(graph_.node(id)));
  return out;
}

StepBlock::Most GpuProgram::most() const {
  StepBlock::Most out{.slots = std::ssize(graph_.states), .sparse = SparseLayers(graph_)};
  for (const int id : inputs_) out.inputs.push_back(graph_.node(id).out.tensor().bytes());
  for (const Node& node : graph_.nodes())
    if (node.out.rows == Rows::kTokens) out.tokens = std::max(out.tokens, node.out.shape[0]);
  return out;
}

// The arena grows with the programs that share it.
void GpuProgram::place_values(const StepArgs& step) {
  SKALD_ASSERT(step.bound.size() == graph_.bound.size());
  Given given{.arena = backend_.arena(), .scratch = backend_.scratch(), .layout = block_.layout()};
  for (const BoundValue& b : step.bound) given.bound.emplace_back(b.data, b.slice_stride);
  if (given == given_) return;
  given_ = std::move(given);
  recording_.reset();
  for (size_t i = 0; i < inputs_.size(); ++i) views_[static_cast<size_t>(inputs_[i])].data = block_.input(i);
  for (size_t i = 0; i < step.bound.size(); ++i) {
    TensorView& view = views_[static_cast<size_t>(graph_.bound[i])];
    view.data = step.bound[i].data;
    view.slice_stride = step.bound[i].slice_stride;
  }
  for (int id = 0; id < graph_.size(); ++id) plan_.place(graph_, id, backend_.arena(), views_);
}

void GpuProgram::bring(const StepArgs& step) {
  brought_.clear();
  for (const int id : inputs_) {
    const Node& node = graph_.node(id);
    const TensorDesc desc = with_rows(id, step.stats).desc;
    SKALD_ASSERT(desc.shape[0] <= node.out.shape[0]);
    brought_.push_back({step_input(node, step.inputs), desc.bytes()});
  }
  check(step);
  block_.bring(step, brought_);
  place_values(step);
}

// Before anything has changed on the device.
void GpuProgram::check(const StepArgs& step) const {
  for (const Step& s : steps_) {
    if (!s.gpu->check) continue;
    std::vector<TensorView> in;
    for (const int id : graph_.node(s.node).inputs) {
      const auto at = std::ranges::find(inputs_, id);
      TensorView& view = in.emplace_back(with_rows(id, step.stats));
      view.data =
          at == inputs_.end() ? nullptr : const_cast<std::byte*>(brought_[static_cast<size_t>(at - inputs_.begin())].data);
    }
    s.gpu->check(in);
  }
}

TensorView GpuProgram::with_rows(int node, const StepStats& stats) const {
  TensorView view = views_[static_cast<size_t>(node)];
  const ValueDesc& out = graph_.node(node).out;
  if (out.rows != Rows::kFixed) view.desc.shape[0] = stats.rows(out);
  return view;
}

GpuOpArgs GpuProgram::args_of(const Step& s, const FormPlan& forms, std::vector<TensorView>& in) const {
  const Node& node = graph_.node(s.node);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const int id = node.inputs[i];
    TensorView& view = in.emplace_back(views_[static_cast<size_t>(id)]);
    if (std::byte* const at = fragments_[static_cast<size_t>(id)]; at && s.gpu->fragments && node.op->is_factor(i)) {
      view.data = at;
      view.packed = true;
    }
  }
  return {.in = in,
          .out = views_[static_cast<size_t>(s.node)],
          .rows = node.out.shape[0],
          .count = node.out.rows == Rows::kOutputs ? block_.outputs() : block_.tokens(),
          .constants = s.constants ? s.constants->data() : nullptr,
          .scratch = backend_.scratch() + form_bytes_,
          .counters = reinterpret_cast<int*>(counters_->data()),
          .forms = backend_.scratch(),
          .form_plan = forms};
}

void GpuProgram::check_launches(const Step& s) {
  const Node& node = graph_.node(s.node);
  doing(fmt::format("{} ({})", node.op->name, node.name), [&] { backend_.device().check_launches(); });
}

void GpuProgram::record_best() {
  if (!best_) return;
  best_->record(context(), views_[static_cast<size_t>(best_of_)], backend_.scratch() + form_bytes_,
                reinterpret_cast<int*>(counters_->data()));
  doing("the likeliest tokens", [&] { backend_.device().check_launches(); });
}

void GpuProgram::record(const Step& s, const FormPlan& forms) {
  if (!s.gpu->record) return;
  std::vector<TensorView> in;
  s.gpu->record(context(), graph_.node(s.node).attrs, args_of(s, forms, in));
  check_launches(s);
}

// `steps`: those from the first node of the fusion to its last one.
void GpuProgram::record_together(const Fusion& fusion, std::span<const Step> steps) {
  std::vector<std::vector<TensorView>> in(steps.size());
  std::vector<FusedNode> nodes;
  for (size_t i = 0; i < steps.size(); ++i)
    if (std::ranges::count(fusion.nodes, steps[i].node))
      nodes.push_back({steps[i].node, graph_.node(steps[i].node), args_of(steps[i], steps[i].forms, in[i])});
  fusion.how->record(context(), nodes);
  check_launches(steps.back());
}

void GpuProgram::record_all() {
  const std::span<const Step> steps(steps_);
  auto fusion = fusions_.begin();
  for (size_t i = 0; i < steps.size(); ++i) {
    if (fusion == fusions_.end() || steps[i].node != fusion->nodes.front()) {
      record(steps[i], steps[i].forms);
      continue;
    }
    const size_t first = i;
    while (steps[i].node != fusion->nodes.back()) ++i;
    record_together(*fusion++, steps.subspan(first, i - first + 1));
  }
  record_best();
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
    const double seconds = backend_.device().seconds([&] { record(s, {}); });
    if (step.profile && s.gpu->record) step.profile->add(graph_, graph_.node(s.node), step.stats, {.seconds = seconds});
  }
  record_best();
}

void GpuProgram::run_at_once() {
  Device& device = backend_.device();
  if (!device.records()) return record_all();
  if (!recording_) {
    device.begin_recording();
    record_all();
    recording_ = device.end_recording();
  }
  device.replay(*recording_);
}

const StepOutputs& GpuProgram::run(const StepArgs& step) {
  bring(step);
  try {
    if (step.observer || step.profile)
      run_one_by_one(step);
    else
      run_at_once();
    backend_.device().wait();
    block_.tell(step);
  } catch (...) {
    backend_.device().forget();
    backend_.device().clear(counters_->data(), counters_->size());
    throw;
  }
  outputs_.clear();
  for (const GraphOutput& out : graph_.outputs()) {
    const bool is_told = best_ && out.node == best_of_;
    outputs_.add({out.name, with_rows(out.node, step.stats), &backend_.memory(),
                  is_told ? best_->read(step.stats.n_outputs) : std::span<const BestTokens>()});
  }
  return outputs_;
}

}  // namespace skald::gpu
