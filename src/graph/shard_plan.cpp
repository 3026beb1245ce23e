#include "graph/shard_plan.h"

#include <algorithm>

#include "graph/cuts.h"
#include "graph/input_names.h"
#include "graph/ops/columns.h"
#include "graph/ops/embed.h"
#include "graph/ops/expert_glu_linear.h"
#include "graph/ops/kv_append.h"
#include "graph/ops/mix_experts.h"

namespace skald {
namespace {

// Rows of a matrix that lie in panels together.
constexpr int64_t kPanelRows = 32;
// A matrix with fewer rows than columns by this factor is multiplied sooner than its result goes over the wire.
constexpr int64_t kFlat = 8;

bool is_value(const Node& node) { return node.source == Source::kOp && node.out.shape.rank() == 2; }

// Columns that are in no rank's parts.
Slices uncovered(const Cut& cut, int64_t columns) {
  Slices all;
  for (const Slices& parts : cut.of_rank) all = united(all, parts);
  Slices out;
  int64_t at = 0;
  for (const Slice& p : all) {
    if (p.first > at) out.push_back({at, p.first - at});
    at = p.end();
  }
  if (at < columns) out.push_back({at, columns - at});
  return out;
}

// The parts of `of`, counted over all parts of `places`.
Slices placed_in(const Slices& places, const Slices& of) {
  Slices out;
  int64_t before = 0;
  for (const Slice& place : places) {
    out = united(out, shifted(inside(of, {before, place.n}), place.first));
    before += place.n;
  }
  return out;
}

// Rows of each matrix that the operation multiplies by.
int64_t rows_of(const Node& node, const std::vector<ValueDesc>& in) {
  return node.op == &op_mix_experts || node.op == &op_expert_glu_linear ? in[1].shape[1] : node.out.shape.back();
}

// Rows of a matrix that one rank has at least, of which there are enough.
int64_t row_grain(int64_t rows, size_t ranks) {
  return rows >= kPanelRows * kFlat * static_cast<int64_t>(ranks) ? kPanelRows : 1;
}

bool all_have_some(const Cut& cut) {
  return std::ranges::none_of(cut.of_rank, [](const Slices& parts) { return parts.empty(); });
}

}  // namespace

ShardPlan::ShardPlan(const Graph& graph, const ShardOptions& options)
    : graph_(graph),
      options_(options),
      wanted_(static_cast<size_t>(graph.size())),
      choices_(static_cast<size_t>(graph.size())) {
  for (const Node& node : graph.nodes()) natures_.push_back(nature_of(node));
  for (int id = graph.size() - 1; id >= 0; --id) {
    const Node& node = graph.node(id);
    if (node.source != Source::kOp) continue;
    choices_[static_cast<size_t>(id)] = choose(id);
    ask_inputs(node, of(id));
  }
}

std::vector<ValueDesc> ShardPlan::inputs_of(const Node& node) const {
  std::vector<ValueDesc> in;
  for (const int i : node.inputs) in.push_back(graph_.node(i).out);
  return in;
}

ShardPlan::Nature ShardPlan::nature_of_columns(const Node& node) const {
  const Nature& of = natures_[static_cast<size_t>(node.inputs[0])];
  if (of.kind != Nature::kFixed) return of;
  const auto& a = node.attrs.get<Columns>();
  Cut cut = of.cut.map([&](const Slices& parts) { return inside(parts, {a.first, a.n}); });
  return all_have_some(cut) ? Nature{Nature::kFixed, std::move(cut)} : Nature{};
}

// A value is as whole as the most whole one that it is made of.
ShardPlan::Nature ShardPlan::nature_of(const Node& node) const {
  if (!is_value(node) || !node.op->cut) return node.op == &op_columns ? nature_of_columns(node) : Nature{};
  const std::vector<ValueDesc> in = inputs_of(node);
  if (node.op->own_cut) {
    Cut own = node.op->own_cut(node.attrs, node.out, options_.ranks);
    return node.op->cut(node.attrs, in, node.out, own) ? Nature{Nature::kFixed, std::move(own)} : Nature{};
  }
  if (!node.op->cut(node.attrs, in, node.out, {{{{0, node.out.shape.back()}}}})) return {};  // of one rank, with all
  bool free = node.op->matmul;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!is_value(graph_.node(node.inputs[i]))) continue;
    const Nature& nature = natures_[static_cast<size_t>(node.inputs[i])];
    const bool carries = i == 0 || in[i].shape.back() == node.out.shape.back();
    if (carries && nature.kind == Nature::kWhole && !node.op->matmul) return {};
    free = free || nature.kind == Nature::kFree;
    if (nature.kind != Nature::kFixed) continue;
    if (std::optional<Followed> followed = follow_input(node, in, i, nature.cut))
      return {Nature::kFixed, std::move(followed->cut)};
  }
  return {free ? Nature::kFree : Nature::kWhole};
}

ShardPlan::Choice ShardPlan::choose(int id) {
  const Node& node = graph_.node(id);
  if (node.op == &op_embed) return as_table(node);
  if (glus_by_experts_.contains(id) || by_experts(node)) {
    if (node.op == &op_mix_experts) glus_by_experts_.insert(node.inputs[0]);
    return {Mode::kExperts, even_cut(inputs_of(node)[1].shape[0], options_.ranks), {}};
  }
  if (node.op == &op_columns) return {Mode::kWhole, wanted_[static_cast<size_t>(id)], {}};
  if (!node.op->cut) return {};
  if (Cut& wanted = wanted_[static_cast<size_t>(id)]) {
    if (node.op != &op_kv_append && !node.op->own_cut) wanted = whole_cover(wanted, node.out.shape.back());
    if (Choice choice = with_cut(node, wanted); choice.mode == Mode::kCut) return choice;
  }
  if (node.op->own_cut) return with_cut(node, node.op->own_cut(node.attrs, node.out, options_.ranks));
  if (node.op->addends && !options_.exact)
    if (Choice choice = with_addends(node); choice.mode == Mode::kAddends) return choice;
  if (const Cut cut = usual_cut(node)) return with_cut(node, cut);
  return {};
}

// Matrices of heads are multiplied by whole rows of memory: of a value that each rank has all of, by each rank.
ShardPlan::Choice ShardPlan::with_cut(const Node& node, Cut cut) const {
  std::optional<CutPlan> plan = node.op->cut(node.attrs, inputs_of(node), node.out, cut);
  const bool by_heads = plan && node.op->matmul && plan->inputs[0].dimension >= 0;
  if (by_heads && natures_[static_cast<size_t>(node.inputs[0])].kind == Nature::kWhole) return {};
  return plan ? Choice{Mode::kCut, std::move(cut), std::move(*plan)} : Choice{};
}

// Columns between the two products are cut where that is even: then all ranks have as much to do with each token.
bool ShardPlan::by_experts(const Node& mix) const {
  if (options_.exact || mix.op != &op_mix_experts) return false;
  const Node& glu = graph_.node(mix.inputs[0]);
  const std::vector<ValueDesc> in = inputs_of(mix);
  const auto reads = [&](const Node& n) { return std::ranges::count(n.inputs, mix.inputs[0]) > 0; };
  if (glu.op != &op_expert_glu_linear || std::ranges::count_if(graph_.nodes(), reads) != 1) return false;
  const auto ranks = static_cast<int64_t>(options_.ranks);
  const int64_t inner = in[1].shape[2], blocks = inner / in[1].format->block;
  const bool even = blocks >= ranks && 10 * ((blocks + ranks - 1) / ranks) * ranks <= 11 * blocks;
  return !even && in[1].shape[0] >= ranks;
}

// Of an input that is there in parts anyway.
ShardPlan::Choice ShardPlan::with_addends(const Node& node) const {
  const std::vector<ValueDesc> in = inputs_of(node);
  const Nature& nature = natures_[static_cast<size_t>(node.inputs[0])];
  Cut cut = nature.cut;
  if (nature.kind == Nature::kFree) {
    int64_t block = 1;
    for (const ValueDesc& d : in)
      if (d.rows == Rows::kFixed && d.shape.rank() > 1) block = std::max(block, d.format->block);
    const bool experts = node.op == &op_mix_experts;
    const int64_t inner = experts ? in[1].shape[2] : in[0].shape[1];
    if (inner / block < static_cast<int64_t>(options_.ranks)) return {};
    cut = even_cut(inner, options_.ranks, block);
    if (experts) cut = repeated(cut, inner, in[2].shape[1]);
  }
  if (!cut) return {};
  std::optional<CutPlan> plan = node.op->addends(node.attrs, in, node.out, cut);
  return plan ? Choice{Mode::kAddends, std::move(cut), std::move(*plan)} : Choice{};
}

// Tables of positions are small. One that serves as the output too is cut as that is.
ShardPlan::Choice ShardPlan::as_table(const Node& node) const {
  if (graph_.node(node.inputs[0]).name != input_names::kTokens) return {};
  const int64_t rows = inputs_of(node)[1].shape[0];
  return {Mode::kTable, even_cut(rows, options_.ranks, row_grain(rows, options_.ranks)), {}};
}

// Of a product whose result is wanted whole; empty where each rank has it sooner alone.
Cut ShardPlan::usual_cut(const Node& node) const {
  const std::vector<ValueDesc> in = inputs_of(node);
  if (!node.op->matmul || in[0].shape.rank() != 2) return {};
  const int64_t rows = rows_of(node, in), ranks = static_cast<int64_t>(options_.ranks);
  if (rows * kFlat <= in[1].shape.back() || rows < ranks) return {};
  Cut cut = even_cut(rows, options_.ranks, row_grain(rows, options_.ranks));
  return node.op == &op_expert_glu_linear ? repeated(cut, rows, in[3].shape[1]) : cut;
}

// With the columns that are not asked for.
Cut ShardPlan::whole_cover(const Cut& cut, int64_t columns) const {
  const Slices left = uncovered(cut, columns);
  if (left.empty()) return cut;
  const Cut shares = even_cut(size_of(left), options_.ranks);
  Cut out = cut;
  for (size_t r = 0; r < cut.ranks(); ++r) out.of_rank[r] = united(out.of_rank[r], placed_in(left, shares[r]));
  return out;
}

void ShardPlan::ask_inputs(const Node& node, const Choice& choice) {
  if (node.op == &op_columns && choice.cut) {
    const int64_t first = node.attrs.get<Columns>().first;
    ask(node.inputs[0], choice.cut.map([first](const Slices& parts) { return shifted(parts, first); }), true);
  }
  for (size_t i = 0; i < choice.plan.inputs.size(); ++i) {
    const CutInput& input = choice.plan.inputs[i];
    if (input.dimension >= 0 && graph_.node(node.inputs[i]).source == Source::kOp) ask(node.inputs[i], input.cut, false);
  }
}

// Views of some columns ask for what they show; of others the first one counts.
void ShardPlan::ask(int id, const Cut& cut, bool some_columns) {
  Cut& wanted = wanted_[static_cast<size_t>(id)];
  if (!wanted) {
    wanted = cut;
  } else if (some_columns) {
    for (size_t r = 0; r < cut.ranks(); ++r) wanted.of_rank[r] = united(wanted.of_rank[r], cut[r]);
  }
}

}  // namespace skald
