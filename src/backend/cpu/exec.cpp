#include "backend/cpu/exec.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "backend/cpu/sum_pairs.h"
#include "backend/cpu/weights.h"
#include "base/cpu_affinity.h"
#include "base/error.h"
#include "graph/ops/choose_experts.h"
#include "graph/sites.h"
#include "graph/step_observer.h"

namespace skald {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Waits for sums that are under way where a product fails: they refer to the step.
class ScopedSums {
 public:
  explicit ScopedSums(SumThread& sums) : sums_(sums) {}
  ~ScopedSums() { sums_.drain(); }
  ScopedSums(const ScopedSums&) = delete;
  ScopedSums& operator=(const ScopedSums&) = delete;

 private:
  SumThread& sums_;
};

TensorView some_rows(TensorView view, int64_t first, int64_t n) {
  view.data = view.row_bytes(first);
  view.desc.shape[0] = n;
  return view;
}

}  // namespace

CpuProgram::CpuProgram(CpuBackend& backend, Graph graph, const CpuWeights& weights)
    : backend_(backend),
      graph_(std::move(graph)),
      sum_pairs_(sum_pairs(graph_)),
      plan_(plan_memory(graph_, sum_pairs_)),
      inputs_(graph_.step_inputs()),
      views_(static_cast<size_t>(2 * graph_.size())) {
  int64_t scratch = 0, sum_scratch = 0;
  size_t most_inputs = 0;
  for (int id = 0; id < graph_.size(); ++id) {
    const Node& node = graph_.node(id);
    views_[static_cast<size_t>(id)].desc = node.out.tensor();
    if (node.source == Source::kWeight) place_weight(id, weights.place(node.name));
    if (node.source != Source::kOp) continue;
    const CpuOp* cpu = backend_.find_op(*node.op);
    if (!cpu) fail(Errc::kInternal, "no CPU operation for {}", node.op->name);
    Step step{cpu, id, node.inputs, sites_of(node)};
    for (size_t i = 1; i < step.in.size(); ++i)
      if (const size_t panels = panels_of(node.inputs[i]); node.op->is_factor(i) && views_[panels].packed)
        step.in[i] = static_cast<int>(panels);
    check_weights(step);
    const int64_t bytes = plan(step);
    scratch = std::max(scratch, bytes);
    if (std::ranges::count(sum_pairs_, id, &NodeRange::last)) sum_scratch = std::max(sum_scratch, bytes);
    steps_.push_back(std::move(step));
    most_inputs = std::max(most_inputs, node.inputs.size());
  }
  in_.resize(most_inputs);
  backend_.grow(plan_.arena_bytes, scratch);
  if (sum_scratch) backend_.sums().grow(sum_scratch);
}

std::vector<int> CpuProgram::sites_of(const Node& node) const {
  std::vector<int> out;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const std::string name = site_name(graph_, node, i);
    out.push_back(name.empty() ? -1 : backend_.sites().of(name));
  }
  return out;
}

// Those of the step's rows that the operation has.
std::optional<NodeAdapters> CpuProgram::adapters_of(const Step& s, const StepArgs& step, int64_t first_row,
                                                    int64_t n_rows) const {
  if (!step.adapters || step.adapters->empty()) return {};
  const Rows rows = graph_.node(s.node).out.rows;
  if (rows == Rows::kFixed || std::ranges::all_of(s.sites, [](int site) { return site < 0; })) return {};
  return NodeAdapters{.rows = rows == Rows::kOutputs ? step.adapters->outputs : step.adapters->tokens,
                      .sites = s.sites,
                      .first_row = first_row,
                      .n_rows = n_rows,
                      .memory = &backend_.low_rank_memory()};
}

// Weights are only read; a view has one pointer type for all of its uses.
void CpuProgram::place_weight(int id, const WeightPlace& place) {
  TensorView& rows = views_[static_cast<size_t>(id)];
  rows.data = const_cast<std::byte*>(place.rows);
  if (!place.panels) return;
  views_[panels_of(id)] = {.data = const_cast<std::byte*>(place.panels), .desc = rows.desc, .packed = true};
}

// A weight that a file has in panels only can be multiplied by, and nothing else.
void CpuProgram::check_weights(const Step& step) const {
  for (int i : step.in)
    if (i < graph_.size() && graph_.node(i).source == Source::kWeight && views_[panels_of(i)].packed &&
        !views_[static_cast<size_t>(i)].data)
      fail(Errc::kUnsupported, "tensor {} lies in panels, but {} reads its rows", graph_.node(i).name, step.cpu->op->name);
}

int64_t CpuProgram::plan(const Step& step) const {
  if (!step.cpu->plan) return 0;
  const Node& node = graph_.node(step.node);
  std::vector<ValueDesc> in;
  std::vector<TensorView> views;
  for (size_t i = 0; i < step.in.size(); ++i) {
    in.push_back(graph_.node(node.inputs[i]).out);
    views.push_back(views_[static_cast<size_t>(step.in[i])]);
  }
  return doing(node.name, [&] {
    return step.cpu->plan(node.attrs, {backend_.kernels(), backend_.pool().capacity(), in, views});
  });
}

void CpuProgram::place_given(const StepArgs& step) {
  SKALD_ASSERT(step.bound.size() == graph_.bound.size());
  // Inputs are only read; a view has one pointer type for all of its uses.
  for (const int id : inputs_)
    views_[static_cast<size_t>(id)].data = const_cast<std::byte*>(step_input(graph_.node(id), step.inputs));
  for (size_t i = 0; i < step.bound.size(); ++i) {
    TensorView& view = views_[static_cast<size_t>(graph_.bound[i])];
    view.data = step.bound[i].data;
    view.slice_stride = step.bound[i].slice_stride;
  }
}

void CpuProgram::place_values(const StepArgs& step) {
  place_given(step);
  for (int id = 0; id < graph_.size(); ++id) {
    const Node& node = graph_.node(id);
    TensorView& view = views_[static_cast<size_t>(id)];
    if (node.out.rows != Rows::kFixed) {
      view.desc.shape[0] = step.stats.rows(node.out);
      SKALD_ASSERT(view.desc.shape[0] <= node.out.shape[0]);
    }
    plan_.place(graph_, id, backend_.arena(), views_);
  }
}

const StepOutputs& CpuProgram::run(const StepArgs& step) {
  const ScopedFlushDenormals flush;
  const ScopedAffinity place(backend_.pool().place(0));
  backend_.pool().set_size(backend_.threads_for(step.stats.n_tokens));
  place_values(step);
  if (step.profile)
    run_profiled(step, *step.profile);
  else
    run_steps(step);
  outputs_.clear();
  for (const GraphOutput& out : graph_.outputs())
    outputs_.add({out.name, views_[static_cast<size_t>(out.node)], &host_memory()});
  return outputs_;
}

// Who observes a step sees one operation after the other.
void CpuProgram::run_steps(const StepArgs& step) {
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& s = steps_[i];
    if (const int64_t rows = step.observer ? 0 : rows_of_sum(s.node))
      run_with_sum(s, steps_[++i], rows, step);
    else
      run(s, step);
  }
}

// Of an operation with a sum after it, the rows that are added up at once; 0: all.
int64_t CpuProgram::rows_of_sum(int node) const {
  if (!std::ranges::count(sum_pairs_, node, &NodeRange::first)) return 0;
  const TensorView& out = views_[static_cast<size_t>(node)];
  const int64_t rows = skald::rows_of_sum(out.rows(), out.cols());
  return rows < out.rows() ? rows : 0;
}

void CpuProgram::run_with_sum(const Step& product, const Step& sum, int64_t rows, const StepArgs& step) {
  const Node& node = graph_.node(product.node);
  const TensorView &given = views_[static_cast<size_t>(product.node)], &added = views_[static_cast<size_t>(sum.node)];
  CpuContext cx{backend_.pool(), backend_.kernels(), &step, backend_.scratch()};
  SumThread& sums = backend_.sums();
  const auto add = [&](TensorView x, TensorView y) {
    return [&, x, y](ThreadPool& pool, std::byte* scratch) {
      CpuContext own{pool, backend_.kernels(), &step, scratch, nullptr};
      sum.cpu->run(own, graph_.node(sum.node).attrs, {{&x, 1}, y});
    };
  };
  const auto multiply = [&](int64_t first, int64_t n) {
    for (size_t i = 0; i < product.in.size(); ++i) {
      in_[i] = views_[static_cast<size_t>(product.in[i])];
      if (graph_.node(node.inputs[i]).source != Source::kWeight) in_[i] = some_rows(in_[i], first, n);
    }
    const std::optional<NodeAdapters> adapters = adapters_of(product, step, first, n);
    cx.adapters = adapters ? &*adapters : nullptr;
    product.cpu->run(cx, node.attrs, {{in_.data(), product.in.size()}, some_rows(given, first, n)});
  };
  const ScopedSums ends(sums);
  for (int64_t first = 0; first < given.rows(); first += rows) {
    const int64_t n = std::min(rows, given.rows() - first);
    multiply(first, n);
    sums.post(add(some_rows(given, first, n), some_rows(added, first, n)));
  }
  sums.wait();
}

void CpuProgram::run_profiled(const StepArgs& step, Profile& profile) {
  ThreadPool& pool = backend_.pool();
  ScopedWaitTiming waiting(pool);
  std::vector<int64_t> experts(static_cast<size_t>(graph_.size()));  // different ones, of nodes that chose
  for (const Step& s : steps_) {
    const auto start = std::chrono::steady_clock::now();
    run(s, step);
    const double seconds = seconds_since(start);
    const Node& node = graph_.node(s.node);
    if (node.op->view_from) continue;  // no work
    const auto at = static_cast<size_t>(s.node);
    if (node.op == &op_choose_experts)
      experts[at] = profile.add_experts(node.name, views_[at], graph_.node(node.inputs[0]).out.shape.back());
    StepStats stats = step.stats;
    for (int in : node.inputs) stats.experts_read = std::max(stats.experts_read, experts[static_cast<size_t>(in)]);
    profile.add(graph_, node, stats, {.seconds = seconds, .threads = pool.size(), .waited = waiting.take()});
  }
}

// A value without rows, as those after the last attention are where no logits are wanted, has nothing to compute.
void CpuProgram::run(const Step& s, const StepArgs& step) {
  const TensorView& out = views_[static_cast<size_t>(s.node)];
  if (out.rows() == 0) return;
  const std::optional<NodeAdapters> adapters = adapters_of(s, step, 0, out.rows());
  CpuContext cx{backend_.pool(), backend_.kernels(), &step, backend_.scratch(), adapters ? &*adapters : nullptr};
  for (size_t i = 0; i < s.in.size(); ++i) in_[i] = views_[static_cast<size_t>(s.in[i])];
  if (step.observer) step.observer->before(graph_, graph_.node(s.node), {in_.data(), s.in.size()});
  s.cpu->run(cx, graph_.node(s.node).attrs, {{in_.data(), s.in.size()}, out});
}

}  // namespace skald
