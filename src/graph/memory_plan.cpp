#include "graph/memory_plan.h"

#include <algorithm>
#include <map>

#include "base/checked.h"
#include "base/error.h"

namespace skald {
namespace {

// The arena's free ranges: offset -> bytes. The range at the end is open.
class FreeRanges {
 public:
  int64_t take(int64_t bytes) {
    auto best = ranges_.end();
    for (auto it = ranges_.begin(); it != ranges_.end(); ++it)
      if (it->second >= bytes && (best == ranges_.end() || it->second < best->second)) best = it;
    if (best == ranges_.end()) return grow(bytes);
    const auto [offset, size] = *best;
    ranges_.erase(best);
    if (size > bytes) ranges_[offset + bytes] = size - bytes;
    return offset;
  }

  void give_back(int64_t offset, int64_t bytes) {
    auto next = ranges_.emplace(offset, bytes).first;
    if (auto after = std::next(next); after != ranges_.end() && next->first + next->second == after->first) {
      next->second += after->second;
      ranges_.erase(after);
    }
    if (next == ranges_.begin()) return;
    if (auto before = std::prev(next); before->first + before->second == next->first) {
      before->second += next->second;
      ranges_.erase(next);
    }
  }

  int64_t end() const { return end_; }

 private:
  // Nothing is large enough: extend the arena, beginning with a free range that touches its end.
  int64_t grow(int64_t bytes) {
    int64_t offset = end_;
    if (!ranges_.empty() && std::prev(ranges_.end())->first + std::prev(ranges_.end())->second == end_) {
      offset = std::prev(ranges_.end())->first;
      ranges_.erase(std::prev(ranges_.end()));
    }
    end_ = offset + bytes;
    return offset;
  }

  std::map<int64_t, int64_t> ranges_;
  int64_t end_ = 0;
};

std::vector<int> last_uses(const Graph& graph) {
  std::vector<int> last(static_cast<size_t>(graph.size()));
  for (int i = 0; i < graph.size(); ++i) {
    last[static_cast<size_t>(i)] = i;
    for (int in : graph.node(i).inputs) last[static_cast<size_t>(in)] = i;
  }
  if (graph.output >= 0) last[static_cast<size_t>(graph.output)] = graph.size();
  return last;
}

// Of the arena, per node.
std::vector<int64_t> arena_bytes_of(const Graph& graph) {
  std::vector<int64_t> bytes;
  for (const Node& node : graph.nodes())
    bytes.push_back(
        node.source == Source::kOp && !node.op->view ? round_up(node.out.tensor().bytes(), MemoryPlan::kAlignment) : 0);
  for (int id : graph.bound) bytes[static_cast<size_t>(id)] = 0;
  return bytes;
}

// What a view shows must not be given to others as long as the view is read.
void check_views(const Graph& graph, const std::vector<int64_t>& bytes) {
  for (const Node& node : graph.nodes())
    if (node.source == Source::kOp && node.op->view)
      for (int in : node.inputs) SKALD_ASSERT(bytes[static_cast<size_t>(in)] == 0);
}

bool writes_over_input(const Graph& graph, const std::vector<int64_t>& bytes, const std::vector<int>& last, int at) {
  const Node& node = graph.node(at);
  if (!node.op->in_place) return false;
  const int in = node.inputs[0];
  // A value that is also another input must survive until every row has been read.
  const bool once = std::ranges::count(node.inputs, in) == 1;
  return once && bytes[static_cast<size_t>(in)] == bytes[static_cast<size_t>(at)] && last[static_cast<size_t>(in)] == at;
}

}  // namespace

MemoryPlan plan_memory(const Graph& graph) {
  MemoryPlan plan;
  plan.offsets.assign(static_cast<size_t>(graph.size()), MemoryPlan::kNone);
  const std::vector<int> last = last_uses(graph);
  const std::vector<int64_t> sizes = arena_bytes_of(graph);
  check_views(graph, sizes);
  FreeRanges free;
  for (int i = 0; i < graph.size(); ++i) {
    const Node& node = graph.node(i);
    const int64_t bytes = sizes[static_cast<size_t>(i)];
    plan.total_bytes += bytes;
    int taken_over = -1;
    if (bytes && writes_over_input(graph, sizes, last, i)) {
      taken_over = node.inputs[0];
      plan.offsets[static_cast<size_t>(i)] = plan.offsets[static_cast<size_t>(taken_over)];
    } else if (bytes) {
      plan.offsets[static_cast<size_t>(i)] = free.take(bytes);
    }
    for (size_t n = 0; n < node.inputs.size(); ++n) {
      const int in = node.inputs[n];
      const bool repeated = std::ranges::count(std::span(node.inputs).first(n), in) > 0;
      const int64_t offset = plan.offsets[static_cast<size_t>(in)];
      if (last[static_cast<size_t>(in)] == i && in != taken_over && offset != MemoryPlan::kNone && !repeated)
        free.give_back(offset, sizes[static_cast<size_t>(in)]);
    }
    if (last[static_cast<size_t>(i)] == i && bytes && taken_over < 0)  // nobody reads it
      free.give_back(plan.offsets[static_cast<size_t>(i)], bytes);
  }
  plan.arena_bytes = free.end();
  return plan;
}

}  // namespace skald
