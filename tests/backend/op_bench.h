// OpBench: runs a small graph on the CPU, or on another device. Activations enter as rows of an embedding table, since steps
// feed only numbers of tokens.
#pragma once

#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/exec.h"
#include "backend/cpu/weights.h"
#include "graph/lower.h"
#include "graph/ops/embed.h"
#include "quant/made_up.h"
#include "tests/support/random.h"
#include "tests/support/step_output.h"

namespace skald::test {

class OpBench {
 public:
  explicit OpBench(int64_t n_tokens, int n_threads = 1, std::string_view isa = {})
      : backend(n_threads, isa), n_(n_tokens), ids_(static_cast<size_t>(n_tokens)), positions_(ids_.size()) {
    std::iota(ids_.begin(), ids_.end(), 0);
    std::iota(positions_.begin(), positions_.end(), 0);
    tokens_ = graph.input("tokens", {&format_i32, Shape{n_}, Rows::kTokens});
    positions = graph.input("positions", {&format_i32, Shape{n_}, Rows::kTokens});
  }

  /// An activation (tokens, n) of random numbers, and a weight of any format.
  Tensor activation(int64_t n, uint64_t seed) {
    return graph.add(op_embed, Attrs(NoAttrs{}), {tokens_, weight(Shape{n_, n}, seed)}, "activation");
  }
  Tensor weight(Shape shape, uint64_t seed, const Format& format = format_f32) {
    return weight_of(shape, normal(shape.elements(), seed), format, seed);
  }
  /// The same, of these numbers; `seed` and `largest` are for formats that are not encoded but made up.
  Tensor activation_of(int64_t n, const std::vector<float>& values) {
    return graph.add(op_embed, Attrs(NoAttrs{}), {tokens_, weight_of(Shape{n_, n}, values)}, "activation");
  }
  Tensor weight_of(Shape shape, const std::vector<float>& values, const Format& format = format_f32, uint64_t seed = 1,
                   float largest = 2) {
    const std::string name = "w" + std::to_string(data_.size());
    data_[name] = encoded_or_made_up(format, values, largest, seed);
    return graph.weight(name, {&format, shape});
  }
  /// Weight or activation values as the kernels see them.
  std::vector<float> values(Tensor t) const {
    const Node& node = graph.node(t.id);
    if (node.source == Source::kOp) return values({t.graph, node.inputs[1]});
    std::vector<float> out(static_cast<size_t>(node.out.shape.elements()));
    node.out.format->decode(data_.at(node.name).data(), out.data(), node.out.shape.elements());
    return out;
  }
  void set_positions(std::vector<int32_t> positions) { positions_ = std::move(positions); }
  /// The rows (i32 values of the step) that pick_rows picks.
  Tensor output_rows(std::vector<int32_t> rows) {
    output_rows_ = std::move(rows);
    return graph.input("output_rows", {&format_i32, Shape{static_cast<int64_t>(output_rows_.size())}, Rows::kOutputs});
  }

  /// The value of `t`, with the operations in `denied` replaced by their expansions.
  std::vector<float> run(Tensor t, const std::set<std::string_view>& denied = {}) {
    graph.give(t.id);
    const auto supported = [&](const Graph& g, const Node& node) {
      return backend.supports(g, node) && !denied.contains(node.op->name);
    };
    const Graph lowered = lower(graph, supported);
    const CpuWeights weights(lowered, rows(), packed, {});
    CpuProgram program(backend, lowered, weights);
    return rows_of(run_once(program));
  }

  /// The value of `t` as another backend computes it.
  std::vector<float> run_on(Backend& other, Tensor t) {
    graph.give(t.id);
    const auto weights = other.load(graph, rows());
    const auto program = other.compile(graph, *weights);
    return rows_of(run_once(*program));
  }

  CpuBackend backend;
  Graph graph;
  Tensor positions;
  bool packed = false;     // the weights of matmuls lie in panels
  Group* group = nullptr;  // of ranks

 private:
  LookupWeights rows() const {
    return LookupWeights([this](std::string_view name) { return WeightPlace(data_.at(std::string(name)).data()); });
  }
  const StepOutput& run_once(Program& program) const {
    std::vector<StepValue> inputs;
    for (const auto& [name, values] : input_) inputs.push_back({name, values->data()});
    const StepArgs step{.inputs = inputs,
                        .positions = positions_.data(),
                        .kv = {},
                        .group = group,
                        .stats = {.n_tokens = n_, .n_outputs = static_cast<int64_t>(output_rows_.size()), .sequences = {}}};
    return program.run(step).at(output_names::kLogits);
  }

  int64_t n_;
  std::vector<int32_t> ids_, positions_, output_rows_;
  const std::map<std::string, const std::vector<int32_t>*> input_{
      {"tokens", &ids_}, {"positions", &positions_}, {"output_rows", &output_rows_}};
  Tensor tokens_;
  std::map<std::string, std::vector<std::byte>> data_;
};

}  // namespace skald::test
