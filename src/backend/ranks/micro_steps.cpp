#include "backend/ranks/micro_steps.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include "graph/input_names.h"

namespace skald {
namespace {

constexpr int64_t kMostPieces = 16;
constexpr int64_t kRowsOfPass = 32;  // whose products take as long as it takes to read the weights

// A sequence of which rows see later ones is not cut, nor are generated rows. Pieces end where pages do.
bool may_cut(const Graph& graph, const StepArgs& step, int64_t q) {
  const KvBatch& kv = step.kv;
  if (!graph.causal || step.stats.sequences[static_cast<size_t>(q)].sparq) return false;
  for (int64_t slot = 0; slot < std::ssize(graph.states); ++slot)
    if (std::holds_alternative<AttentionState>(graph.states[static_cast<size_t>(slot)])) {
      const KvView& view = kv.views[slot * kv.n_seqs + q];
      return view.prefix == 0 && !view.decode;
    }
  return true;
}

// The shortest runs that may lie in different pieces.
std::vector<RowRun> smallest_runs(const Graph& graph, const StepArgs& step) {
  std::vector<RowRun> out;
  int64_t row = 0;
  for (int64_t q = 0; q < step.kv.n_seqs; ++q) {
    const int64_t end = row + step.stats.sequences[static_cast<size_t>(q)].rows;
    const bool cuts = may_cut(graph, step, q);
    while (row < end) {
      const int64_t to_border = kPageKeys - step.positions[row] % kPageKeys;
      const int64_t next = cuts ? std::min(end, row + to_border) : end;
      out.push_back({q, row, next, end});
      row = next;
    }
  }
  return out;
}

// Neighbours of one sequence become one run.
void append(std::vector<RowRun>& runs, const RowRun& more) {
  if (!runs.empty() && runs.back().sequence == more.sequence)
    runs.back().end = more.end;
  else
    runs.push_back(more);
}

bool counts_rows(std::string_view input) { return input == input_names::kOutputRows || input == input_names::kParents; }

// The rows of the step whose logits it gives, in order.
std::vector<int32_t> output_rows(const Graph& graph, const StepArgs& step) {
  if (const int id = graph.find(Source::kInput, input_names::kOutputRows); id >= 0) {
    const auto* const rows = reinterpret_cast<const int32_t*>(step_input(graph.node(id), step.inputs));
    return {rows, rows + step.stats.n_outputs};
  }
  std::vector<int32_t> all(static_cast<size_t>(step.stats.n_outputs));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Elements of a row.
int64_t row_size(const ValueDesc& d) { return d.shape.elements() / d.shape[0]; }

// Rows of the step, counted from the piece's first one; negative ones are none.
std::vector<int32_t> counted_from(int64_t first, std::span<const int32_t> rows) {
  std::vector<int32_t> out(rows.begin(), rows.end());
  for (int32_t& row : out)
    if (row >= 0) row -= static_cast<int32_t>(first);
  return out;
}

int64_t kv_bytes(const Graph& graph, const StepStats& stats) {
  int64_t keys = 0;
  for (const StepStats::Sequence& s : stats.sequences) keys += s.keys;
  double bytes = 0;
  for (const StateSpec& state : graph.states)
    if (const auto* a = std::get_if<AttentionState>(&state))
      bytes += static_cast<double>(keys * a->n_kv_heads) * (static_cast<double>(a->d_k) * stats.kv_element_bytes_k +
                                                            static_cast<double>(a->d_v) * stats.kv_element_bytes_v);
  return static_cast<int64_t>(bytes);
}

}  // namespace

std::span<const StepArgs> MicroSteps::cut(const Graph& graph, const StepArgs& step, int64_t n) {
  const std::vector<RowRun> smallest = smallest_runs(graph, step);
  const std::vector<int32_t> outputs = output_rows(graph, step);
  pieces_.resize(static_cast<size_t>(n));
  steps_.clear();
  std::vector<RowRun> runs;
  for (const RowRun& run : smallest) {
    append(runs, run);
    const bool is_last = run.end == step.stats.n_tokens;
    if (!is_last && run.end * n < step.stats.n_tokens * (std::ssize(steps_) + 1)) continue;
    steps_.push_back(make(graph, step, outputs, runs, pieces_[steps_.size()]));
    runs.clear();
  }
  return steps_;
}

StepArgs MicroSteps::make(const Graph& graph, const StepArgs& step, std::span<const int32_t> outputs,
                          std::span<const RowRun> runs, Piece& p) {
  const int64_t first = runs.front().first, end = runs.back().end;
  StepArgs out = step;
  take_sequences(step, runs, p);
  take_states(graph, step, runs, p);
  const auto from = std::ranges::lower_bound(outputs, first), to = std::ranges::lower_bound(outputs, end);
  take_inputs(graph, step, {first, end}, {from - outputs.begin(), to - outputs.begin()}, p);
  out.inputs = p.inputs;
  out.positions = step.positions + first;
  out.kv = {p.views.data(), p.recurrent.data(), std::ssize(runs), p.row_seq.data(),
            step.kv.sparq ? p.sparq.data() : nullptr};
  out.stats.n_tokens = end - first;
  out.stats.n_outputs = to - from;
  out.stats.sequences = p.sequences;
  return out;
}

void MicroSteps::take_sequences(const StepArgs& step, std::span<const RowRun> runs, Piece& p) {
  p.sequences.clear();
  p.sparq.clear();
  p.row_seq.clear();
  for (const RowRun& run : runs) {
    StepStats::Sequence s = step.stats.sequences[static_cast<size_t>(run.sequence)];
    s.keys -= run.sequence_end - run.end;
    s.rows = run.end - run.first;
    p.row_seq.insert(p.row_seq.end(), static_cast<size_t>(s.rows), static_cast<int32_t>(p.sequences.size()));
    p.sequences.push_back(s);
    if (step.kv.sparq) p.sparq.push_back(step.kv.sparq[run.sequence]);
  }
}

void MicroSteps::take_states(const Graph& graph, const StepArgs& step, std::span<const RowRun> runs, Piece& p) {
  p.views.clear();
  p.recurrent.clear();
  for (int64_t slot = 0; slot < std::ssize(graph.states); ++slot)
    for (const RowRun& run : runs) {
      const int64_t at = slot * step.kv.n_seqs + run.sequence;
      p.views.push_back(step.kv.views[at]);
      p.recurrent.push_back(step.kv.recurrent[at]);
    }
}

void MicroSteps::take_inputs(const Graph& graph, const StepArgs& step, Range tokens, Range outputs, Piece& p) {
  p.inputs.clear();
  p.numbers.clear();
  for (const int id : graph.step_inputs()) {
    const Node& node = graph.node(id);
    const Range rows = node.out.rows == Rows::kOutputs ? outputs : node.out.rows == Rows::kTokens ? tokens : Range{};
    const int64_t skipped = rows.first * row_size(node.out);
    const auto value = std::ranges::find(step.inputs, node.name, &StepValue::name);
    if (counts_rows(node.name)) {
      const std::span all(std::get<const int32_t*>(value->data), static_cast<size_t>(rows.end));
      p.numbers.push_back(counted_from(tokens.first, all.subspan(static_cast<size_t>(rows.first))));
      p.inputs.push_back({node.name, p.numbers.back().data()});
    } else {
      p.inputs.push_back(
          {node.name, std::visit([&](auto* data) -> decltype(StepValue::data) { return data + skipped; }, value->data)});
    }
  }
}

int64_t best_pieces(const Graph& graph, const StepArgs& step, int64_t stages, int64_t weights) {
  const double work = static_cast<double>(step.stats.n_tokens) / kRowsOfPass +
                      static_cast<double>(kv_bytes(graph, step.stats)) / static_cast<double>(std::max<int64_t>(1, weights));
  const auto best = std::llround(std::sqrt(static_cast<double>(stages - 1) * work));
  return std::clamp<int64_t>(best, 1, kMostPieces);
}

}  // namespace skald
