#include "backend/ranks/stage_program.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "graph/stages.h"

namespace skald {

StageProgram::StageProgram(const Graph& graph, const StagePlace& place, Backend& backend, const DeviceWeights& weights,
                           Group& group)
    : place_(place), group_(group), own_group_(group, place.first_of(place.stage), place.ranks) {
  if (place.stages == 1) {
    parts_.push_back({.program = backend.compile(graph, weights)});
  } else {
    graph_ = graph;
    take_stage(backend, weights);
  }
}

void StageProgram::take_stage(Backend& backend, const DeviceWeights& weights) {
  const std::vector<GraphPart> parts = split(graph_, stages_of(graph_, static_cast<size_t>(place_.stages)));
  find_transfers(parts);
  for (const GraphPart& part : parts) {
    Part& own = parts_.emplace_back();
    if (static_cast<int>(part.device) != place_.stage) continue;
    bind(part, own);
    own.program = backend.compile(part.graph, weights);
  }
}

void StageProgram::find_transfers(std::span<const GraphPart> parts) {
  SKALD_ASSERT(parts.back().device == 0);
  for (size_t p = 0; p + 1 < parts.size(); ++p) {
    if (!parts[p].graph.outputs().empty())
      fail(Errc::kUnsupported, "pipeline_parallel: this model's layers give {}, which is wanted of the last part alone",
           parts[p].graph.outputs().front().name);
    for (const int node : parts[p].exports) {
      std::set<size_t> readers;
      for (const GraphPart& part : parts)
        if (std::ranges::count(part.bound, node, &PartValue::node)) readers.insert(part.device);
      readers.erase(parts[p].device);
      for (const size_t to : readers)
        transfers_.push_back({static_cast<int64_t>(p), node, static_cast<int>(parts[p].device), static_cast<int>(to)});
    }
  }
}

void StageProgram::bind(const GraphPart& part, Part& own) {
  for (const PartValue& v : part.bound) {
    if (v.given) fail(Errc::kUnsupported, "pipeline_parallel does not go with caches of fixed shapes");
    own.bound.push_back(v.node);
    Crossing& at = crossings_[v.node];
    if (at.buffer) continue;
    at.desc = graph_.node(v.node).out;
    at.buffer = host_memory().allocate(at.desc.tensor().bytes());
  }
}

void StageProgram::run(std::span<const StepArgs> pieces) {
  std::vector<Before> before;
  Before rows;
  for (const StepArgs& piece : pieces) {
    before.push_back(rows);
    rows.tokens += piece.stats.n_tokens;
    rows.outputs += piece.stats.n_outputs;
  }
  const int64_t n = std::ssize(pieces), parts = std::ssize(parts_) - 1;
  for (int64_t tick = 0; tick < n + parts - 1; ++tick) {
    for (int64_t p = std::max<int64_t>(0, tick - n + 1); p <= std::min(tick, parts - 1); ++p)
      if (Part& part = parts_[static_cast<size_t>(p)]; part.program)
        run_part(part, pieces[static_cast<size_t>(tick - p)], before[static_cast<size_t>(tick - p)]);
    hand_over(tick, pieces, before);
  }
}

const StepOutputs& StageProgram::run_part(Part& part, const StepArgs& step, const Before& before) {
  bound_.clear();
  for (const int node : part.bound) bound_.push_back({rows_of(node, step.stats, before).data()});
  StepArgs args = step;
  args.bound = bound_;
  args.group = place_.ranks > 1 ? &own_group_ : nullptr;
  return part.program->run(args);
}

// Each rank of a stage has the value, and gives it to its peer.
void StageProgram::hand_over(int64_t tick, std::span<const StepArgs> pieces, std::span<const Before> before) {
  std::vector<Group::Send> sends;
  std::vector<Group::Receive> receives;
  for (const Transfer& t : transfers_) {
    const int64_t piece = tick - t.part;
    const bool is_ours = t.from == place_.stage || t.to == place_.stage;
    if (!is_ours || piece < 0 || piece >= std::ssize(pieces)) continue;
    const auto at = static_cast<size_t>(piece);
    const std::span<std::byte> rows = rows_of(t.node, pieces[at].stats, before[at]);
    if (rows.empty()) continue;
    if (t.from == place_.stage) sends.push_back({place_.peer_in(t.to), rows});
    if (t.to == place_.stage) receives.push_back({place_.peer_in(t.from), rows});
  }
  if (!sends.empty() || !receives.empty()) group_.exchange(sends, receives);
}

// Rows of a step's pieces lie one after the other.
std::span<std::byte> StageProgram::rows_of(int node, const StepStats& stats, const Before& before) const {
  const Crossing& at = crossings_.at(node);
  const ValueDesc& desc = at.desc;
  if (desc.shape.elements() == 0) return {};  // that an operation has been done
  const int64_t row_bytes = desc.tensor().bytes() / desc.shape[0];
  const int64_t skipped = desc.rows == Rows::kTokens ? before.tokens : desc.rows == Rows::kOutputs ? before.outputs : 0;
  return {at.buffer->data() + skipped * row_bytes, static_cast<size_t>(stats.bytes(desc))};
}

}  // namespace skald
