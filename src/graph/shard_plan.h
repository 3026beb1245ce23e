// ShardPlan: how each operation of a graph is cut over ranks, which all ranks find alike.
#pragma once

#include <set>
#include <vector>

#include "graph/graph.h"
#include "graph/shard.h"

namespace skald {

class ShardPlan {
 public:
  enum class Mode : uint8_t {
    kWhole,    // each rank computes it, or a part where its inputs are cut
    kCut,      // each rank computes its columns
    kAddends,  // each rank computes an addend of all columns
    kTable,    // likewise, of a table of tokens by rows
    kExperts,  // each rank computes with its experts: an addend at the end
  };
  struct Choice {
    Mode mode = Mode::kWhole;
    Cut cut = {};  // of the output, of the first input's columns (kAddends), of the table's rows, or of experts
    CutPlan plan = {};
  };

  ShardPlan(const Graph& graph, const ShardOptions& options);

  const Choice& of(int node) const { return choices_[static_cast<size_t>(node)]; }

 private:
  /// In which parts the value of a node could be there on its own.
  struct Nature {
    enum Kind : uint8_t { kWhole, kFree, kFixed } kind = kWhole;
    Cut cut = {};  // kFixed
  };
  Nature nature_of(const Node& node) const;
  Nature nature_of_columns(const Node& node) const;
  Choice choose(int id);
  Choice with_cut(const Node& node, Cut cut) const;
  Choice with_addends(const Node& node) const;
  Choice as_table(const Node& node) const;
  bool by_experts(const Node& mix) const;
  Cut usual_cut(const Node& node) const;
  Cut whole_cover(const Cut& cut, int64_t columns) const;
  void ask_inputs(const Node& node, const Choice& choice);
  void ask(int id, const Cut& cut, bool some_columns);
  std::vector<ValueDesc> inputs_of(const Node& node) const;

  const Graph& graph_;
  ShardOptions options_;
  std::vector<Nature> natures_;
  std::vector<Cut> wanted_;
  std::vector<Choice> choices_;
  std::set<int> glus_by_experts_;  // nodes whose readers are by experts
};

}  // namespace skald
