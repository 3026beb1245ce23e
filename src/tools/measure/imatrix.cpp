#include "tools/measure/imatrix.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/checked.h"
#include "base/cpu_placement.h"
#include "base/error.h"
#include "graph/ops/expert_glu_linear.h"
#include "graph/ops/mix_experts.h"

namespace skald {
namespace {

constexpr int64_t kGrain = 64;  // columns of a thread: whole cache lines of its sums

void add_squares(const float* x, int64_t n, double* sums) {
  for (int64_t j = 0; j < n; ++j) sums[j] += static_cast<double>(x[j]) * static_cast<double>(x[j]);
}

bool finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

// One count stands for all matrices.
void broadcast(std::vector<int64_t>& counts, size_t n) {
  if (counts.size() == 1) counts.resize(n, counts[0]);
}

}  // namespace

bool ImatrixCollector::wanted(std::string_view weight) const {
  return weight.starts_with("blk.") || (output_ && weight == "output.weight");
}

void ImatrixCollector::Sums::add(const Sums& other) {
  squares.resize(other.squares.size());
  counts.resize(other.counts.size());
  for (size_t i = 0; i < squares.size(); ++i) squares[i] += other.squares[i];
  for (size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
}

// Also of inputs that have a part for each matrix of the weight, side by side.
void ImatrixCollector::sum_rows(const TensorView& x) {
  step_.squares.assign(static_cast<size_t>(x.cols()), 0);
  step_.counts.assign(1, x.rows());
  pool_.ranges(x.cols(), kGrain, [&](int64_t begin, int64_t end, int) {
    for (int64_t r = 0; r < x.rows(); ++r) add_squares(x.row(r) + begin, end - begin, step_.squares.data() + begin);
  });
}

// `own_inputs`: a row has a part for each of its experts, side by side.
void ImatrixCollector::sum_experts(const TensorView& x, const TensorView& ids, int64_t n_experts, bool own_inputs) {
  const int64_t k = ids.cols(), columns = own_inputs ? x.cols() / k : x.cols();
  step_.squares.assign(static_cast<size_t>(n_experts * columns), 0);
  step_.counts.assign(static_cast<size_t>(n_experts), 0);
  for (int64_t r = 0; r < x.rows(); ++r)
    for (int64_t j = 0; j < k; ++j) ++step_.counts[static_cast<size_t>(ids.row<int32_t>(r)[j])];
  pool_.ranges(columns, kGrain, [&](int64_t begin, int64_t end, int) {
    for (int64_t r = 0; r < x.rows(); ++r)
      for (int64_t j = 0; j < k; ++j) {
        const float* part = x.row(r) + (own_inputs ? j * columns : 0);
        add_squares(part + begin, end - begin, step_.squares.data() + ids.row<int32_t>(r)[j] * columns + begin);
      }
  });
}

void ImatrixCollector::before(const Graph& graph, const Node& node, std::span<const TensorView> in) {
  if (!node.op->matmul) return;
  std::vector<std::string_view> weights;
  for (size_t i = 1; i < in.size(); ++i)
    if (node.op->is_factor(i) && wanted(graph.node(node.inputs[i]).name)) weights.push_back(graph.node(node.inputs[i]).name);
  if (weights.empty()) return;
  const int64_t matrices = graph.node(node.inputs[1]).out.shape[0];
  if (node.op == &op_expert_glu_linear)
    sum_experts(in[0], in[3], matrices, false);
  else if (node.op == &op_mix_experts)
    sum_experts(in[0], in[2], matrices, true);
  else
    sum_rows(in[0]);
  if (!finite(step_.squares)) fail(Errc::kBadInput, "{} is multiplied by values that are not finite", weights.front());
  for (const std::string_view name : weights) sums_[std::string(name)].add(step_);
}

std::map<std::string, Imatrix::Entry> ImatrixCollector::entries() const {
  std::map<std::string, Imatrix::Entry> out;
  for (const auto& [name, sums] : sums_)
    out.emplace(name, Imatrix::Entry{{sums.squares.begin(), sums.squares.end()}, sums.counts});
  return out;
}

CollectedImatrix collect_imatrix(const LoadedModel& model, const EngineOptions& options, const TokenChunks& text,
                                 const ImatrixOptions& imatrix) {
  ThreadPool pool(plan_threads(options.device, this_machine()).threads_batch);
  ImatrixCollector collector(pool, imatrix.output);
  CollectedImatrix out;
  out.perplexity = measure_perplexity(
      model, options, text, {.positions = Positions::kAll, .observer = &collector, .on_window = imatrix.on_window});
  out.imatrix.entries = collector.entries();
  out.imatrix.datasets = {imatrix.dataset};
  out.imatrix.chunk_size = text.n_ctx;
  out.imatrix.chunk_count = count_chunks(out.imatrix);
  return out;
}

void merge(Imatrix& into, const Imatrix& other) {
  SKALD_ASSERT(into.chunk_size > 0);
  // Counts of .dat files are of chunks, and their sums are means of as many.
  const int64_t rows = other.chunk_size == 0 ? into.chunk_size : 1;
  for (const auto& [name, more] : other.entries) {
    Imatrix::Entry& entry =
        into.entries.try_emplace(name, Imatrix::Entry{std::vector<float>(more.sums.size()), {0}}).first->second;
    const size_t matrices = std::max(entry.counts.size(), more.counts.size());
    std::vector<int64_t> counts = more.counts;
    broadcast(counts, matrices);
    broadcast(entry.counts, matrices);
    if (entry.sums.size() != more.sums.size() || counts.size() != entry.counts.size())
      fail(Errc::kBadInput, "{}: {} values and {} counts do not go with {} and {}", name, more.sums.size(),
           more.counts.size(), entry.sums.size(), entry.counts.size());
    for (size_t i = 0; i < entry.sums.size(); ++i) entry.sums[i] += more.sums[i] * static_cast<float>(rows);
    for (size_t i = 0; i < counts.size(); ++i) entry.counts[i] += counts[i] * rows;
  }
  into.datasets.insert(into.datasets.end(), other.datasets.begin(), other.datasets.end());
  into.chunk_count = count_chunks(into);
}

int64_t count_chunks(const Imatrix& imatrix) {
  int64_t most = 0;
  for (const auto& named : imatrix.entries) most = std::max(most, *std::ranges::max_element(named.second.counts));
  return imatrix.chunk_size ? most / imatrix.chunk_size : most;
}

}  // namespace skald
