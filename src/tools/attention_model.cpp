#include "tools/attention_model.h"

#include <cmath>

#include "base/rng.h"
#include "graph/ops/kv_append.h"

namespace skald {
namespace {

Buffer random_table(int64_t cols, uint64_t seed) {
  const int64_t n = AttentionModel::kTokens * cols;
  Buffer table(n * static_cast<int64_t>(sizeof(float)));
  auto* out = reinterpret_cast<float*>(table.data());
  Rng rng(seed);
  // The sum of four uniform numbers is normal enough.
  for (int64_t i = 0; i < n; ++i)
    out[i] = static_cast<float>((rng.uniform() + rng.uniform() + rng.uniform() + rng.uniform() - 2) * std::sqrt(3.0));
  return table;
}

}  // namespace

AttentionModel::AttentionModel(const AttentionShape& shape)
    : shape_(shape),
      q_(random_table(shape.n_heads * shape.d_head, 1)),
      k_(random_table(shape.n_kv_heads * shape.d_head, 2)),
      v_(random_table(shape.n_kv_heads * shape.d_head, 3)) {}

WeightLookup AttentionModel::lookup() const {
  return [this](std::string_view name, const Shape*) -> std::optional<TensorDesc> {
    const int64_t heads = name == "q.weight" ? shape_.n_heads : shape_.n_kv_heads;
    return TensorDesc{&format_f32, Shape{kTokens, heads * shape_.d_head}};
  };
}

AttentionModel::Values AttentionModel::embed(Net& net) const {
  const int64_t kv = shape_.n_kv_heads * shape_.d_head;
  return {net.embed("q", kTokens, shape_.n_heads * shape_.d_head), net.embed("k", kTokens, kv), net.embed("v", kTokens, kv)};
}

Graph AttentionModel::graph(const StepCapacity& capacity) const {
  const AttentionShape& s = shape_;
  Graph graph;
  Net net(graph, lookup(), capacity);
  const auto [q, k, v] = embed(net);
  const Attention attention{.n_heads = s.n_heads,
                            .n_kv_heads = s.n_kv_heads,
                            .d_k = s.d_head,
                            .d_v = s.d_head,
                            .scale = 1.0f / std::sqrt(static_cast<float>(s.d_head))};
  for (int64_t i = 0; i < s.n_layers; ++i) graph.output = net.layer_at(i).attention(q, k, v, attention).id;
  return graph;
}

Graph AttentionModel::filling_graph(const StepCapacity& capacity) const {
  Graph graph;
  Net net(graph, lookup(), capacity);
  const auto [q, k, v] = embed(net);
  for (int64_t i = 0; i < shape_.n_layers; ++i)
    graph.add(op_kv_append, Attrs(KvAppend{shape_.n_kv_heads, static_cast<int32_t>(i)}), {k, v});
  graph.output = q.id;
  return graph;
}

const std::byte* AttentionModel::weight(std::string_view name) const {
  return name == "q.weight" ? q_.data() : name == "k.weight" ? k_.data() : v_.data();
}

StepModel AttentionModel::step_model() const {
  return {.graph = [this](const StepCapacity& capacity) { return graph(capacity); },
          .weights = [this](std::string_view name) { return weight(name); },
          .kv_layers = graph({}).kv_layers,
          .n_vocab = kTokens};
}

}  // namespace skald
