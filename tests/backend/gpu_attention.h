// GpuAttention: the cache and the attention of an AttentionBench on a device, with the same inputs.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/gpu/gpu_backend.h"
#include "backend/sparq_reads.h"
#include "graph/ops/embed.h"
#include "graph/output_names.h"
#include "tests/backend/attention_bench.h"
#include "tests/support/step_output.h"

namespace skald::test {

class GpuAttention {
 public:
  using Shares = std::vector<AttentionBench::Share>;

  /// `inputs`: of the same setup, of which each sequence has `positions` rows in all. Steps have up to `rows`. `basis`: of
  /// the index, for keys and queries (n_kv_heads, d_k, d_k); or empty. The backend must outlive it.
  GpuAttention(gpu::GpuBackend& backend, const AttentionSetup& setup, const AttentionBench& inputs, int64_t positions,
               int64_t rows, const std::vector<float>& basis = {})
      : setup_(setup),
        positions_(positions),
        cache_(make_kv_spec({AttentionState{setup.a.n_kv_heads, setup.a.d_k, setup.a.d_v, setup.a.window.size}},
                            setup.storage, setup.limits.max_keys, {}, {&backend.memory()}),
               setup.limits, {&backend.memory()}) {
    setup_.a.max_keys = setup.limits.max_keys;
    setup_.a.sparse = setup.sparq.on();
    for (int64_t i = 0; i < setup.limits.n_sequences; ++i) sequences_.push_back(std::make_unique<KvSequence>(cache_));
    make_tables(inputs);
    tables_["basis"] = basis;
    setup_.a.basis = !basis.empty();
    for (Part* part : {&append_, &attend_}) {
      make_graph(part->graph, rows, /*attend=*/part == &attend_);
      part->weights = backend.load(part->graph, source());
      part->program = backend.compile(part->graph, *part->weights);
    }
  }

  /// The results of a step's rows, all of prompts or all generated. `errors`: as SparqPolicy has them, where it measures.
  std::vector<float> step(const Shares& shares, bool generated, float* errors = nullptr) {
    return run(attend_, shares, generated, errors);
  }
  /// Only fills the cache, `at_once` rows of a prompt in a step.
  void append(size_t sequence, int64_t rows, int64_t at_once) {
    for (; rows > 0; rows -= at_once) run(append_, {{sequence, std::min(rows, at_once)}}, /*generated=*/false, nullptr);
  }
  void drop(size_t sequence, int64_t keep, int64_t n) { sequences_[sequence]->drop(keep, n); }
  void truncate(size_t sequence, int64_t n) { EXPECT_TRUE(sequences_[sequence]->truncate(n)); }

  SparqReads reads;

 private:
  struct Part {
    Graph graph = {};
    std::shared_ptr<const DeviceWeights> weights = {};
    std::unique_ptr<Program> program = {};
  };

  std::vector<float> run(const Part& part, const Shares& shares, bool generated, float* errors) {
    std::vector<int32_t> tokens, positions, row_seq;
    std::vector<KvView> views;
    for (size_t i = 0; i < shares.size(); ++i) {
      KvSequence& kv = *sequences_[shares[i].sequence];
      EXPECT_TRUE(kv.reserve(kv.length() + shares[i].rows));
      for (int64_t position = kv.length(); position < kv.length() + shares[i].rows; ++position) {
        tokens.push_back(static_cast<int32_t>(static_cast<int64_t>(shares[i].sequence) * positions_ + position));
        positions.push_back(static_cast<int32_t>(position));
        row_seq.push_back(static_cast<int32_t>(i));
      }
      views.push_back(kv.view(0));
      views.back().decode = generated;
    }
    const SparqPolicy policy{.params = setup_.sparq.on() ? &setup_.sparq : nullptr,
                             .heads = setup_.a.n_kv_heads,
                             .errors = errors,
                             .rows = std::ssize(tokens)};
    const std::vector<SparqPolicy> sparq(shares.size(), policy);
    const StepValue inputs[] = {{"tokens", tokens.data()}};
    const StepArgs step{.inputs = inputs,
                        .positions = positions.data(),
                        .kv = {views.data(), nullptr, std::ssize(views), row_seq.data(), sparq.data()},
                        .sparq_reads = &reads,
                        .stats = {.n_tokens = std::ssize(tokens), .sequences = {}}};
    const std::vector<float> out = rows_of(part.program->run(step).at(output_names::kLogits));
    for (const AttentionBench::Share& share : shares) {
      KvSequence& kv = *sequences_[share.sequence];
      kv.set_length(kv.length() + share.rows);
    }
    return out;
  }

  // What the rows of all sequences bring, by name.
  void make_tables(const AttentionBench& inputs) {
    for (size_t i = 0; i < inputs.n_sequences(); ++i) {
      const BenchSequence& s = inputs.sequence(i);
      for (const auto& [name, rows] : {std::pair{"q", &s.q}, {"q_kept", &s.q_kept}, {"k", &s.k}, {"v", &s.v}})
        tables_[name].insert(tables_[name].end(), rows->begin(), rows->end());
    }
    const std::span<const float> sinks = inputs.sink_logits();
    tables_["sinks"].assign(sinks.begin(), sinks.end());
  }
  void make_graph(Graph& graph, int64_t rows, bool attend) {
    const Attention& a = setup_.a;
    const Tensor tokens = graph.input("tokens", {&format_i32, Shape{rows}, Rows::kTokens});
    const auto activation = [&](const std::string& name) {
      const int64_t n = std::ssize(sequences_) * positions_, columns = std::ssize(tables_.at(name)) / n;
      return graph.add(op_embed, Attrs(NoAttrs{}), {tokens, graph.weight(name, {&format_f32, Shape{n, columns}})}, name);
    };
    const Tensor k = activation("k"), v = activation("v");
    const auto basis = [&] { return graph.weight("basis", {&format_f32, Shape{a.n_kv_heads, a.d_k, a.d_k}}); };
    std::vector<Tensor> stored = {k, v};
    if (a.basis) stored.push_back(basis());
    std::vector<Tensor> in = {activation("q"),
                              graph.add(op_kv_append, Attrs(KvAppend{a.n_kv_heads, 0, a.basis}), stored, "append")};
    graph.states = {AttentionState{a.n_kv_heads, a.d_k, a.d_v, a.window.size}};
    if (!attend) return graph.give(k.id);
    if (a.sink_logits) in.push_back(graph.weight("sinks", {&format_f32, Shape{a.n_heads}}));
    if (a.basis) in.insert(in.end(), {basis(), basis()});
    if (a.kept_queries) in.push_back(activation("q_kept"));
    graph.give(graph.add(op_attention, Attrs(a), in, "attention").id);
  }
  LookupWeights source() const {
    return LookupWeights([this](std::string_view name) {
      return WeightPlace(reinterpret_cast<const std::byte*>(tables_.at(std::string(name)).data()));
    });
  }

  AttentionSetup setup_;
  int64_t positions_;
  KvCache cache_;
  std::vector<std::unique_ptr<KvSequence>> sequences_;
  std::map<std::string, std::vector<float>> tables_;
  Part append_, attend_;
};

}  // namespace skald::test
