// Profile: calls, time, bytes and operations per kind of operation, summed over steps.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/expert_load.h"
#include "graph/graph.h"

namespace skald {

/// How long an operation took.
struct OpTime {
  double seconds = 0;
  int threads = 1;    // that it could use
  double waited = 0;  // seconds that these, together, waited for the slowest one at the ends of its fork-joins
};

struct ProfileRow {
  int64_t calls = 0;
  double seconds = 0;
  double thread_seconds = 0;  // of all threads together
  double waited = 0;          // of these, lost in waiting
  double bytes = 0;
  double flops = 0;
};

struct Profile {
  std::map<std::string, ProfileRow> rows;  // "linear q8_0", "attention", ...
  std::vector<ExpertLoad> experts;         // of the layers that have them, in their order

  void add(const Graph& graph, const Node& node, const StepStats& step, const OpTime& time);
  /// Counts the experts that the node `name` chose out of this many; returns how many different ones.
  int64_t add_experts(const std::string& name, const TensorView& ids, int64_t n_experts);
  ProfileRow total() const;
};

/// The name under which a node is counted: its operation, and its weight's format.
std::string profile_name(const Graph& graph, const Node& node);

/// What the node costs in a step with these statistics.
Cost cost_of(const Graph& graph, const Node& node, const StepStats& step);

/// The whole graph's cost.
Cost cost_of(const Graph& graph, const StepStats& step);

}  // namespace skald
