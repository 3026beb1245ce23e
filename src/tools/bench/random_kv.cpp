#include "tools/bench/random_kv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "graph/ops/kv_append.h"
#include "stepping/step_inputs.h"
#include "tools/synth/random_table.h"

namespace skald {
namespace {

constexpr int64_t kMostRows = 512;
constexpr std::string_view kPrefix = "blk.", kKeys = ".k.weight";

int64_t k_columns(const AttentionState& layer) { return layer.n_kv_heads * layer.d_k; }
int64_t v_columns(const AttentionState& layer) { return layer.n_kv_heads * layer.d_v; }

int64_t widest(const std::vector<AttentionState>& layers, int64_t (*columns)(const AttentionState&)) {
  int64_t most = 0;
  for (const AttentionState& layer : layers) most = std::max(most, columns(layer));
  return most;
}

size_t layer_of(std::string_view name) {
  size_t layer = 0;
  std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), layer);
  return layer;
}

// Keys turned by their positions: the tables' rows come again, and keys that are equal would be chosen by sparse decoding
// together.
Tensor turned(Net& net, Tensor k, int64_t d_k) {
  const auto dims = static_cast<int32_t>(d_k / 2 * 2);
  return dims ? net.rope(k, d_k, {.table = {.dims = dims}}) : k;
}

}  // namespace

RandomKv::RandomKv(Compute& compute)
    : compute_(compute),
      layers_(attention_states(compute.runner().kv().spec().slots)),
      k_(random_table(kRows + static_cast<int64_t>(layers_.size()), widest(layers_, k_columns), 1)),
      v_(random_table(kRows + static_cast<int64_t>(layers_.size()), widest(layers_, v_columns), 2)),
      chunk_(std::min(kMostRows, compute.runner().kv().limits().max_rows)) {}

void RandomKv::extend(KvSequence& sequence, int64_t n) {
  if (sequence.length() >= n) return;
  if (!program_) {
    const Graph append = graph(chunk_);
    const LookupWeights tables([this](std::string_view name) { return weight(name); });
    weights_ = compute_.backend().load(append, tables);
    program_ = compute_.backend().compile(append, *weights_);
  }
  while (sequence.length() < n) {
    const int64_t rows = std::min(chunk_, n - sequence.length());
    if (!sequence.reserve(sequence.length() + rows)) {
      sequence.clear();
      fail(Errc::kNoMemory, "the KV cache has no room for {} tokens", n);
    }
    append(sequence, rows);
  }
}

// Each layer appends rows of its tables.
Graph RandomKv::graph(int64_t rows) const {
  Graph graph;
  const Net net(graph, [](std::string_view, const Shape* want) { return TensorDesc{&format_f32, *want}; }, {.tokens = rows});
  graph.states = compute_.runner().kv().spec().slots;
  size_t i = 0;
  for (size_t slot = 0; slot < graph.states.size(); ++slot) {
    if (!std::holds_alternative<AttentionState>(graph.states[slot])) continue;
    Net block = net.layer_at(static_cast<int64_t>(i));
    const Tensor k = turned(block, block.embed("k", kRows, k_columns(layers_[i])), layers_[i].d_k);
    const Tensor v = block.embed("v", kRows, v_columns(layers_[i]));
    graph.add(op_kv_append, Attrs(KvAppend{layers_[i].n_kv_heads, static_cast<int32_t>(slot)}), {k, v});
    graph.give(k.id);
    ++i;
  }
  return graph;
}

const std::byte* RandomKv::weight(std::string_view name) const {
  const size_t i = layer_of(name);
  const bool keys = name.ends_with(kKeys);
  const int64_t columns = keys ? k_columns(layers_[i]) : v_columns(layers_[i]);
  return (keys ? k_ : v_).data() + static_cast<int64_t>(i) * columns * static_cast<int64_t>(sizeof(float));
}

void RandomKv::append(KvSequence& sequence, int64_t rows) {
  const int64_t begin = sequence.length();
  std::vector<int32_t> tokens, positions;
  const std::vector<int32_t> row_seq(static_cast<size_t>(rows), 0);
  for (int64_t i = begin; i < begin + rows; ++i) {
    tokens.push_back(static_cast<int32_t>(i * 2654435761 % kRows));
    positions.push_back(static_cast<int32_t>(i));
  }
  std::vector<KvView> views;
  const KvSpec& spec = compute_.runner().kv().spec();
  for (int64_t slot = 0; slot < std::ssize(spec.slots); ++slot)
    views.push_back(spec.is_attention(slot) ? sequence.view(slot) : KvView{});
  const StepItem item{&sequence, tokens, 0};
  StepInputs inputs(program_->graph());
  StepArgs args{.inputs = inputs.fill({&item, 1}),
                .positions = positions.data(),
                .kv = {views.data(), nullptr, 1, row_seq.data()},
                .stats = {}};
  args.stats.n_tokens = rows;
  program_->run(args);
  sequence.set_length(begin + rows);
}

}  // namespace skald
