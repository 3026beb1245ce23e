#include "graph/shard.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "graph/cuts.h"
#include "graph/ops/attention.h"
#include "graph/ops/columns.h"
#include "graph/ops/embed_part.h"
#include "graph/ops/exchange_columns.h"
#include "graph/ops/expert_glu_part.h"
#include "graph/ops/kv_append.h"
#include "graph/ops/mix_experts_part.h"
#include "graph/ops/sum_ranks.h"
#include "graph/shard_plan.h"

namespace skald {
namespace {

class Sharding {
 public:
  Sharding(const Graph& from, const ShardOptions& options) : from_(from), options_(options), plan_(from, options) {
    to_.prefix_end = from.prefix_end;
    to_.causal = from.causal;
    to_.states = from.states;
    to_.made_for = from.made_for;
    made_.resize(static_cast<size_t>(from.size()));
  }

  Graph run() {
    for (int id = 0; id < from_.size(); ++id) {
      const Node& node = from_.node(id);
      if (node.source == Source::kInput) made(id).whole = to_.input(node.name, node.out);
      if (node.source == Source::kOp) compute(id, node);
    }
    for (const GraphOutput& out : from_.outputs()) to_.give(whole_on_first(out.node).id, out.name);
    return std::move(to_);
  }

 private:
  /// The forms of a value that are there.
  struct Made {
    std::optional<Tensor> whole = {}, addend = {};
    std::vector<bool> adds = {};  // which ranks' addends count
    std::vector<std::pair<Cut, Tensor>> parts = {};

    const Tensor* find(const Cut& cut) const {
      const auto at = std::ranges::find(parts, cut, &std::pair<Cut, Tensor>::first);
      return at == parts.end() ? nullptr : &at->second;
    }
  };
  Made& made(int id) { return made_[static_cast<size_t>(id)]; }

  void compute(int id, const Node& node) {
    const ShardPlan::Choice& choice = plan_.of(id);
    switch (choice.mode) {
      case ShardPlan::Mode::kCut:
        made(id).parts.emplace_back(choice.cut, add(node, choice.plan));
        note_state(node, choice);
        return;
      case ShardPlan::Mode::kAddends:
        made(id).addend = add(node, choice.plan);
        made(id).adds = first_of_each(choice.cut);
        return;
      case ShardPlan::Mode::kTable:
        made(id).addend = add_table(node, choice.cut);
        made(id).adds = first_of_each(choice.cut);
        return;
      case ShardPlan::Mode::kExperts:
        add_experts(id, node, choice.cut);
        return;
      case ShardPlan::Mode::kWhole:
        break;
    }
    if (node.op == &op_columns ? !show_part(id, node) : !follow_inputs(id, node)) made(id).whole = add(node, uncut(node));
  }

  static CutPlan uncut(const Node& node) { return {std::vector<CutInput>(node.inputs.size())}; }

  // Ranks with the same part compute the same; one of them counts.
  static std::vector<bool> first_of_each(const Cut& cut) {
    std::vector<bool> out;
    for (size_t r = 0; r < cut.ranks(); ++r)
      out.push_back(std::ranges::find(cut.of_rank.begin(), cut.of_rank.begin() + static_cast<std::ptrdiff_t>(r), cut[r]) ==
                    cut.of_rank.begin() + static_cast<std::ptrdiff_t>(r));
    return out;
  }

  Tensor add(const Node& node, const CutPlan& plan) {
    std::vector<Tensor> in;
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (const std::optional<Tensor> t = input(node.inputs[i], plan.inputs[i])) in.push_back(*t);
    return to_.add(*node.op, plan.attrs ? plan.attrs(options_.rank) : node.attrs, in, node.name);
  }

  Tensor add_table(const Node& node, const Cut& rows) {
    const Slice own = rows[options_.rank].front();
    return to_.add(op_embed_part, Attrs(EmbedPart{own.first, from_.node(node.inputs[1]).out.shape[0]}),
                   {whole(node.inputs[0]), *input(node.inputs[1], {0, rows})}, node.name);
  }

  // Of the first half no rank reads the other experts' columns; the second half is an addend.
  void add_experts(int id, const Node& node, const Cut& experts) {
    std::vector<Tensor> in;
    for (const int i : node.inputs)
      in.push_back(*input(i, from_.node(i).source == Source::kWeight ? CutInput{0, experts} : CutInput{}));
    const ExpertsPart part{experts[options_.rank].front().first, from_.node(node.inputs[1]).out.shape[0]};
    if (node.op == &op_mix_experts) {
      made(id).addend = to_.add(op_mix_experts_part, Attrs(part), in, node.name);
      made(id).adds.assign(options_.ranks, true);
    } else {
      const Attrs attrs(ExpertGluPart{node.attrs.get<Activate>().function, part});
      made(id).whole = to_.add(op_expert_glu_part, attrs, in, node.name);
    }
  }

  std::optional<Tensor> input(int id, const CutInput& of) {
    const Node& node = from_.node(id);
    if (node.source != Source::kWeight) return of.dimension < 0 ? whole(id) : parts(id, of.cut);
    if (of.dimension < 0) return weight(node.name, node.out.tensor());
    const Slices& own = of.cut[options_.rank];
    if (own.empty()) return {};
    if (own == Slices{{0, node.out.shape[of.dimension]}}) return weight(node.name, node.out.tensor());
    WeightSlice slice{node.name, node.out.tensor(), std::vector<Slices>(static_cast<size_t>(node.out.shape.rank()))};
    slice.parts[static_cast<size_t>(of.dimension)] = own;
    const std::string name = slice.name();
    const Tensor out = weight(name, slice.desc());
    to_.slices.emplace(name, std::move(slice));
    return out;
  }

  Tensor weight(const std::string& name, const TensorDesc& desc) {
    if (const int id = to_.find(Source::kWeight, name); id >= 0) return {&to_, id};
    return to_.weight(name, desc);
  }

  Tensor whole(int id) {
    if (from_.node(id).source == Source::kWeight) return *input(id, {});
    Made& of = made(id);
    if (of.whole) return *of.whole;
    of.whole = of.addend ? sum(*of.addend, of.adds, from_.node(id).name) : exchanged(id, {});
    return *of.whole;
  }

  // The first rank alone reads what steps give: the others keep their parts.
  Tensor whole_on_first(int id) {
    const Made& of = made(id);
    if (of.whole || of.addend || of.parts.empty()) return whole(id);
    Cut cut = of.parts.front().first;
    cut.of_rank.front() = {{0, from_.node(id).out.shape.back()}};
    return parts(id, cut);
  }

  Tensor parts(int id, const Cut& cut) {
    if (const Tensor* there = made(id).find(cut)) return *there;
    const Made& of = made(id);
    if (of.addend) whole(id);
    const Tensor out = of.whole ? shown(*of.whole, id, cut) : exchanged(id, cut);
    made(id).parts.emplace_back(cut, out);
    return out;
  }

  // Slices of what this rank has all of.
  Tensor shown(Tensor x, int id, const Cut& cut) {
    const Slices& own = cut[options_.rank];
    if (own.size() == 1) return to_.add(op_columns, Attrs(Columns{own[0].first, own[0].n}), {x}, from_.node(id).name);
    return exchange(x, ColumnExchange(x.cols(), {}, cut, options_.rank), from_.node(id).name);
  }

  Tensor exchanged(int id, const Cut& to) {
    SKALD_ASSERT(!made(id).parts.empty());
    const auto& [cut, x] = made(id).parts.front();
    return exchange(x, ColumnExchange(from_.node(id).out.shape.back(), cut, to, options_.rank), from_.node(id).name);
  }

  Tensor exchange(Tensor x, ColumnExchange exchange, const std::string& name) {
    const auto plan = std::make_shared<const ColumnExchange>(std::move(exchange));
    to_.plans.push_back(plan);
    return to_.add(op_exchange_columns, Attrs(ExchangeColumns{plan.get()}), {x}, name);
  }

  Tensor sum(Tensor x, const std::vector<bool>& adds, const std::string& name) {
    const auto plan = std::make_shared<const RankSum>(adds, options_.rank);
    to_.plans.push_back(plan);
    return to_.add(op_sum_ranks, Attrs(SumRanks{plan.get()}), {x}, name);
  }

  // A view of what this rank has of the columns, where all ranks have some.
  bool show_part(int id, const Node& node) {
    const Made& of = made(node.inputs[0]);
    if (of.whole || of.parts.empty()) return false;
    const auto& [cut, x] = of.parts.front();
    const auto& a = node.attrs.get<Columns>();
    Cut shown = cut.map([&](const Slices& parts) { return inside(parts, {a.first, a.n}); });
    if (std::ranges::any_of(shown.of_rank, [](const Slices& parts) { return parts.empty(); })) return false;
    const int64_t before = size_of(inside(cut[options_.rank], {0, a.first}));
    const int64_t n = size_of(shown[options_.rank]);
    const Tensor out = to_.add(op_columns, Attrs(Columns{before, n}), {x}, node.name);
    made(id).parts.emplace_back(std::move(shown), out);
    return true;
  }

  // Computes parts where an input is there in parts alone, and the others are or can be shown so.
  bool follow_inputs(int id, const Node& node) {
    if (node.op->slot) return false;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Made& of = made(node.inputs[i]);
      if (from_.node(node.inputs[i]).source != Source::kOp || of.whole || of.parts.empty()) continue;
      std::optional<Followed> followed = follow_input(node, descs(node), i, of.parts.front().first);
      if (!followed || !can_follow(node, followed->plan)) continue;
      const Tensor out = add(node, followed->plan);
      made(id).parts.emplace_back(std::move(followed->cut), out);
      return true;
    }
    return false;
  }

  bool can_follow(const Node& node, const CutPlan& plan) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const int in = node.inputs[i];
      if (from_.node(in).source != Source::kOp || plan.inputs[i].dimension < 0) continue;
      if (!made(in).find(plan.inputs[i].cut) && !made(in).whole) return false;
    }
    return true;
  }

  std::vector<ValueDesc> descs(const Node& node) const {
    std::vector<ValueDesc> in;
    for (const int i : node.inputs) in.push_back(from_.node(i).out);
    return in;
  }

  // As large as that of the rank with the most.
  void note_state(const Node& node, const ShardPlan::Choice& choice) {
    const int64_t slot = slot_of(node);
    if (slot < 0) return;
    StateSpec& state = to_.states[static_cast<size_t>(slot)];
    if (auto* recurrent = std::get_if<RecurrentState>(&state)) {
      recurrent->floats = recurrent->floats / node.out.shape.back() * choice.cut.most();
      return;
    }
    auto& attention = std::get<AttentionState>(state);
    if (node.op == &op_kv_append) attention.n_kv_heads = choice.cut.most();
    if (node.op == &op_attention) attention.group = most_of_group(choice.plan);
  }

  int64_t most_of_group(const CutPlan& plan) const {
    int64_t most = 1;
    for (size_t r = 0; r < options_.ranks; ++r) {
      const Attrs attrs = plan.attrs(r);
      const auto& a = attrs.get<Attention>();
      most = std::max(most, a.n_heads / a.n_kv_heads);
    }
    return most;
  }

  const Graph& from_;
  ShardOptions options_;
  ShardPlan plan_;
  Graph to_;
  std::vector<Made> made_;
};

}  // namespace

Graph shard(const Graph& whole, const ShardOptions& options) {
  SKALD_ASSERT(options.rank < options.ranks);
  if (options.ranks == 1) return whole;
  if (!whole.bound.empty()) fail(Errc::kUnsupported, "fixed shapes do not go with several ranks");
  return Sharding(whole, options).run();
}

}  // namespace skald
