#include "tools/bench/attention_model.h"

#include <cmath>

#include "graph/basis_names.h"
#include "tools/synth/random_table.h"

namespace skald {

AttentionModel::AttentionModel(const AttentionShape& shape)
    : shape_(shape),
      q_(random_table(kTokens, shape.n_heads * shape.d_head, 1)),
      k_(random_table(kTokens, shape.n_kv_heads * shape.d_head, 2)),
      v_(random_table(kTokens, shape.n_kv_heads * shape.d_head, 3)) {}

WeightLookup AttentionModel::lookup() const {
  return [this](std::string_view name, const Shape*) -> std::optional<TensorDesc> {
    if (basis_names::is_basis(name)) return std::nullopt;
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
  for (int64_t i = 0; i < s.n_layers; ++i) graph.give(net.layer_at(i).attention(q, k, v, attention).id);
  return graph;
}

const std::byte* AttentionModel::weight(std::string_view name) const {
  return name == "q.weight" ? q_.data() : name == "k.weight" ? k_.data() : v_.data();
}

StepModel AttentionModel::step_model() const {
  return {.graph = [this](const StepCapacity& capacity) { return graph(capacity); },
          .weights = std::make_shared<LookupWeights>([this](std::string_view name) { return weight(name); }),
          .states = graph({}).states,
          .n_vocab = kTokens};
}

}  // namespace skald
