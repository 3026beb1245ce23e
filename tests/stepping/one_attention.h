// OneAttention: a model that is one attention, for tests of what attention gives in one form and in another.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/net.h"
#include "loading/step_model.h"
#include "tests/support/random.h"

namespace skald::test {

/// A model that is one attention over tables of random rows.
class OneAttention {
 public:
  explicit OneAttention(const Attention& a) : a_(a) {
    add("q", a.n_heads * a.d_k);
    add("k", a.n_kv_heads * a.d_k);
    add("v", a.n_kv_heads * a.d_v);
    tables_.emplace("blk.0.attn_sinks.weight", normal(a.n_heads, 9));
    tables_.emplace("blk.0.biases.weight", normal(32 * a.n_heads, 10));
  }

  StepModel step_model() const {
    return {.graph = [this](const StepCapacity& capacity) { return graph(capacity); },
            .weights = std::make_shared<LookupWeights>([this](std::string_view name) { return bytes_of(name); }),
            .states = graph({}).states,
            .n_vocab = kTokens};
  }

  static constexpr int64_t kTokens = 300;

 private:
  void add(const std::string& name, int64_t cols) {
    tables_.emplace(name + ".weight", normal(kTokens * cols, tables_.size() + 1));
  }
  const std::byte* bytes_of(std::string_view name) const {
    return reinterpret_cast<const std::byte*>(tables_.at(std::string(name)).data());
  }
  Graph graph(const StepCapacity& capacity) const {
    Graph graph;
    const auto lookup = [](std::string_view, const Shape* want) {
      return want ? std::optional(TensorDesc{&format_f32, *want}) : std::nullopt;
    };
    Net net(graph, lookup, capacity);
    const Tensor q = net.embed("q", kTokens, a_.n_heads * a_.d_k), k = net.embed("k", kTokens, a_.n_kv_heads * a_.d_k),
                 v = net.embed("v", kTokens, a_.n_kv_heads * a_.d_v);
    const RopeSpec rope{.table = {.dims = static_cast<int32_t>(a_.d_k / 2 * 2)}};
    Net layer = net.layer_at(0);
    const Tensor biases = a_.biases ? layer.distance_biases("biases", 32, a_.n_heads) : Tensor{};
    graph.give(layer.attention(layer.rope(q, a_.d_k, rope), layer.rope(k, a_.d_k, rope), v, a_, biases).id);
    return graph;
  }

  Attention a_;
  std::map<std::string, std::vector<float>> tables_;
};

}  // namespace skald::test
