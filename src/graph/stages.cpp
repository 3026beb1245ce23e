#include "graph/stages.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "graph/input_names.h"
#include "graph/ops/embed.h"
#include "graph/ops/embed_part.h"
#include "graph/ops/pick_rows.h"

namespace skald {
namespace {

/// The layers of a graph, by their numbers.
class Layers {
 public:
  explicit Layers(const Graph& graph) : graph_(graph) {
    for (const std::string& name : layers_of(graph)) numbers_.emplace(name, numbers_.size());
  }
  size_t size() const { return numbers_.size(); }
  /// None of operations outside of layers, or without a name.
  std::optional<size_t> of(const Node& node) const {
    const auto at = node.source == Source::kOp ? numbers_.find(layer_of_name(node.name)) : numbers_.end();
    return at == numbers_.end() ? std::nullopt : std::optional(at->second);
  }

  // Bytes of weights that each layer reads, and last those that are read outside. Of a table of tokens a step reads a few
  // rows, unless it is the output's too.
  std::vector<int64_t> bytes() const {
    std::vector<int64_t> out(size() + 1);
    std::set<int> counted;
    for (const Node& node : graph_.nodes()) {
      if (node.source != Source::kOp || node.op == &op_embed || node.op == &op_embed_part) continue;
      for (const int in : node.inputs)
        if (graph_.node(in).source == Source::kWeight && counted.insert(in).second)
          out[of(node).value_or(size())] += graph_.node(in).out.tensor().bytes();
    }
    return out;
  }

  // For each layer the last one that reads keys or states which it, or one before it, reads too.
  std::vector<size_t> last_joined() const {
    std::vector<size_t> out(size());
    for (size_t i = 0; i < size(); ++i) out[i] = i;
    std::map<int64_t, size_t> first;
    for (const Node& node : graph_.nodes())
      if (const int64_t slot = slot_of(node); slot >= 0)
        if (const std::optional<size_t> layer = of(node)) {
          const size_t from = first.emplace(slot, *layer).first->second;
          out[from] = std::max(out[from], *layer);
        }
    for (size_t i = 1; i < size(); ++i) out[i] = std::max(out[i], out[i - 1]);
    return out;
  }

 private:
  const Graph& graph_;
  std::map<std::string, size_t, std::less<>> numbers_;
};

/// Runs of layers that stay together, with their bytes, and how they are dealt to stages.
class Runs {
 public:
  Runs(const std::vector<int64_t>& bytes, const std::vector<size_t>& last_joined) : outside_(bytes.back()) {
    for (size_t layer = 0; layer < last_joined.size(); ++layer) {
      if (layer == 0 || last_joined[layer - 1] < layer) bytes_.push_back(0);
      bytes_.back() += bytes[layer];
      run_of_.push_back(bytes_.size() - 1);
    }
  }
  size_t size() const { return bytes_.size(); }

  // (layers): the stage of each of them, with as little as possible in the busiest one.
  std::vector<size_t> stages(size_t n) const {
    int64_t low = 0, high = outside_;
    for (const int64_t bytes : bytes_) high += bytes;
    while (low < high) {
      const int64_t most = low + (high - low) / 2;
      if (deal(most, n))
        high = most;
      else
        low = most + 1;
    }
    const std::vector<size_t> of_runs = *deal(high, n);
    std::vector<size_t> out;
    for (const size_t run : run_of_) out.push_back(of_runs[run]);
    return out;
  }

 private:
  // Fills stage by stage with at most `most` bytes, and leaves a run to each that is to come. None: they do not fit.
  std::optional<std::vector<size_t>> deal(int64_t most, size_t n) const {
    std::vector<size_t> out;
    size_t stage = 0;
    int64_t sum = outside_;
    for (size_t run = 0; run < size(); ++run) {
      const bool is_full = sum + bytes_[run] > most || size() - run == n - 1 - stage;
      if (run > 0 && is_full) {
        if (++stage == n) return {};
        sum = 0;
      }
      sum += bytes_[run];
      if (sum > most) return {};
      out.push_back(stage);
    }
    return out;
  }

  int64_t outside_;
  std::vector<int64_t> bytes_;
  std::vector<size_t> run_of_;  // (layers)
};

/// Finds the stage of each operation from those of the layers.
class Places {
 public:
  Places(const Graph& graph, const Layers& layers, std::vector<size_t> of_layers)
      : graph_(graph),
        layers_(layers),
        of_layers_(std::move(of_layers)),
        readers_(static_cast<size_t>(graph.size()), kNone) {}

  std::vector<size_t> find() {
    find_readers();
    stages_.resize(readers_.size());
    for (int id = 0; id < graph_.size(); ++id) stages_[static_cast<size_t>(id)] = place(id);
    for (int id = graph_.size() - 1; id >= 0; --id) move_to_readers(id);
    return std::move(stages_);
  }

 private:
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  // The first stage of which a layer reads a node's value, or what is made of it.
  void find_readers() {
    for (int id = graph_.size() - 1; id >= 0; --id) {
      const std::optional<size_t> layer = layers_.of(graph_.node(id));
      const size_t reader = layer ? of_layers_[*layer] : readers_[static_cast<size_t>(id)];
      for (const int in : graph_.node(id).inputs) {
        size_t& of = readers_[static_cast<size_t>(in)];
        of = std::min(of, reader);
      }
    }
  }

  // Between layers an operation is where the last of its inputs is: no two values cross for one. Rows are picked of a value
  // that the last stages read anyhow. The output's operations are the first stage's.
  size_t place(int id) const {
    const Node& node = graph_.node(id);
    if (const std::optional<size_t> layer = layers_.of(node)) return of_layers_[*layer];
    const size_t reader = readers_[static_cast<size_t>(id)];
    if (node.op == &op_pick_rows) return reader == kNone ? of_layers_.back() : reader;
    if (reader == kNone && !node.name.empty() && node.name != input_names::kOutputRows) return 0;
    size_t stage = 0;
    for (const int in : node.inputs) stage = std::max(stage, stages_[static_cast<size_t>(in)]);
    return stage;
  }

  // Tables and sums of weights are made where they are read first.
  void move_to_readers(int id) {
    const Node& node = graph_.node(id);
    if (node.source != Source::kOp) return;
    for (const int in : node.inputs) {
      const Node& made = graph_.node(in);
      if (made.source != Source::kOp || has_inputs(made)) continue;
      size_t& stage = stages_[static_cast<size_t>(in)];
      stage =
          moved_.insert(in).second ? stages_[static_cast<size_t>(id)] : std::min(stage, stages_[static_cast<size_t>(id)]);
    }
  }

  bool has_inputs(const Node& node) const {
    return std::ranges::any_of(node.inputs, [&](int in) { return graph_.node(in).source == Source::kOp; });
  }

  const Graph& graph_;
  const Layers& layers_;
  std::vector<size_t> of_layers_, readers_, stages_;
  std::set<int> moved_;
};

Runs runs_of(const Layers& layers) { return {layers.bytes(), layers.last_joined()}; }

}  // namespace

size_t most_stages(const Graph& graph) { return runs_of(Layers(graph)).size(); }

std::vector<size_t> stages_of(const Graph& graph, size_t n) {
  const Layers layers(graph);
  const Runs runs = runs_of(layers);
  if (runs.size() < n)
    fail(Errc::kUnsupported, "pipeline_parallel: the model has {} layers that can be apart: want as many stages or fewer",
         runs.size());
  return Places(graph, layers, runs.stages(n)).find();
}

}  // namespace skald
