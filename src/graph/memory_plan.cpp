#include "graph/memory_plan.h"

#include <algorithm>
#include <map>
#include <utility>

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
  for (const GraphOutput& out : graph.outputs()) last[static_cast<size_t>(out.node)] = graph.size();
  return last;
}

// Of the arena, per node.
std::vector<int64_t> arena_bytes_of(const Graph& graph) {
  std::vector<int64_t> bytes;
  for (const Node& node : graph.nodes())
    bytes.push_back(
        node.source == Source::kOp && !node.op->view_from ? round_up(node.out.tensor().bytes(), MemoryPlan::kAlignment) : 0);
  for (int id : graph.bound) bytes[static_cast<size_t>(id)] = 0;
  return bytes;
}

bool is_view(const Node& node) { return node.source == Source::kOp && node.op->view_from; }

// Whether only the readers of view `id` read the memory that it shows: its base is only cut into views that lie apart.
bool cut_apart(const Graph& graph, int id) {
  const Node& view = graph.node(id);
  const int64_t from = view.op->view_from(view.attrs), to = from + view.out.shape.back();
  for (int i = 0; i < graph.size(); ++i) {
    const Node& other = graph.node(i);
    if (i == id || !std::ranges::count(other.inputs, view.inputs[0])) continue;
    if (!is_view(other)) return false;
    const int64_t first = other.op->view_from(other.attrs);
    if (first < to && from < first + other.out.shape.back()) return false;
  }
  return !graph.gives(view.inputs[0]) && graph.node(view.inputs[0]).source == Source::kOp &&
         !is_view(graph.node(view.inputs[0]));
}

class Planner {
 public:
  Planner(const Graph& graph, std::span<const NodeRange> together)
      : graph_(graph), last_(last_uses(graph)), bytes_(arena_bytes_of(graph)), end_(last_) {
    for (int i = 0; i < graph.size(); ++i) {
      owner_.push_back(i);
      ranges_.push_back({i, i});
    }
    for (const NodeRange& range : together)
      for (int i = range.first; i <= range.last; ++i) ranges_[at(i)] = range;
    plan_.offsets.assign(last_.size(), MemoryPlan::kNone);
    plan_.shares.assign(last_.size(), MemoryPlan::kNone);
    part_.assign(last_.size(), MemoryPlan::kNone);
  }

  MemoryPlan run() {
    for (int i = 0; i < graph_.size(); ++i) {
      place(i);
      const NodeRange& range = ranges_[at(i)];
      for (int id = range.first; i == range.last && id <= i; ++id) release(id);
    }
    plan_.arena_bytes = free_.end();
    return std::move(plan_);
  }

 private:
  static size_t at(int id) { return static_cast<size_t>(id); }
  static bool same_layout(const ValueDesc& a, const ValueDesc& b) { return a.shape == b.shape && a.format == b.format; }

  void place(int i) {
    const Node& node = graph_.node(i);
    plan_.total_bytes += bytes_[at(i)];
    if (is_view(node) || writes_over_input(i))
      share(i, node.inputs[0]);
    else if (bytes_[at(i)])
      plan_.offsets[at(i)] = free_.take(bytes_[at(i)]);
  }

  // i lies where `with` does, which lives on as long as i is read.
  void share(int i, int with) {
    plan_.shares[at(i)] = with;
    owner_[at(i)] = owner_[at(with)];
    part_[at(i)] = is_view(graph_.node(i)) ? i : part_[at(with)];
    end_[at(owner_[at(i)])] = std::max(end_[at(owner_[at(i)])], last_[at(i)]);
  }

  bool writes_over_input(int i) const {
    const Node& node = graph_.node(i);
    if (node.source != Source::kOp || !node.op->in_place || !bytes_[at(i)]) return false;
    const int in = node.inputs[0];
    // A value that is also another input must survive until every row has been read.
    const bool once = std::ranges::count(node.inputs, in) == 1;
    if (!once || last_[at(in)] != i || !in_arena(in) || !same_layout(graph_.node(in).out, node.out)) return false;
    if (is_read_beside(i, in)) return false;
    // Others may read memory of the same owner later: not where it is only cut up and this part is not shown by others.
    if (const int part = part_[at(in)]; part != MemoryPlan::kNone) return cut_apart(graph_, part) && !is_viewed(in);
    return end_[at(owner_[at(in)])] == i;
  }

  // Whether another node of i's range reads memory of `in`.
  bool is_read_beside(int i, int in) const {
    const auto meets = [&](int other) {
      const int a = part_[at(other)], b = part_[at(in)];
      const bool parts = a != b && a != MemoryPlan::kNone && b != MemoryPlan::kNone;  // of which i's lies apart
      return owner_[at(other)] == owner_[at(in)] && !parts;
    };
    for (int id = ranges_[at(i)].first; id <= ranges_[at(i)].last; ++id)
      if (id != i && !is_view(graph_.node(id)) && std::ranges::any_of(graph_.node(id).inputs, meets)) return true;
    return false;
  }

  bool is_viewed(int id) const {
    return std::ranges::any_of(graph_.nodes(), [&](const Node& n) { return is_view(n) && n.inputs[0] == id; });
  }

  bool in_arena(int id) const { return plan_.offsets[at(owner_[at(id)])] != MemoryPlan::kNone; }

  void release(int i) {
    release_owner(owner_[at(i)], i);
    for (int in : graph_.node(i).inputs) release_owner(owner_[at(in)], i);
  }

  void release_owner(int owner, int i) {
    if (end_[at(owner)] != i || plan_.offsets[at(owner)] == MemoryPlan::kNone) return;
    free_.give_back(plan_.offsets[at(owner)], bytes_[at(owner)]);
    end_[at(owner)] = MemoryPlan::kNone;  // once
  }

  const Graph& graph_;
  const std::vector<int> last_;       // per node: the node that reads it last, itself where none does
  const std::vector<int64_t> bytes_;  // per node, of its own
  std::vector<int> end_;              // per owner: the last node that needs its memory
  std::vector<int> owner_;            // per node: whose memory it lies in
  std::vector<int> part_;             // per node: the view whose columns it lies in, or kNone
  std::vector<NodeRange> ranges_;     // per node: those that may run at once with it
  FreeRanges free_;
  MemoryPlan plan_;
};

}  // namespace

void MemoryPlan::place(const Graph& graph, int id, std::byte* arena, std::span<TensorView> views) const {
  const auto at = static_cast<size_t>(id);
  if (offsets[at] != kNone) views[at].data = arena + offsets[at];
  if (shares[at] == kNone) return;
  const TensorView& there = views[static_cast<size_t>(shares[at])];
  const Node& node = graph.node(id);
  views[at].data = there.data + (node.op->view_from ? there.desc.format->bytes(node.op->view_from(node.attrs)) : 0);
  views[at].slice_stride = there.slice_step();
}

MemoryPlan plan_memory(const Graph& graph, std::span<const NodeRange> together) { return Planner(graph, together).run(); }

}  // namespace skald
