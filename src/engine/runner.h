// Runner: computes steps. Holds the KV pages and one compiled program per size of step.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "engine/loaded_model.h"
#include "kv/layout.h"
#include "kv/page_pool.h"
#include "kv/sequence.h"

namespace skald {

struct KvOptions {
  int64_t max_keys = 0;     // of one sequence
  int64_t n_sequences = 1;  // that can have so many at once
  std::string k_type = "f16", v_type = "f16";
};

/// One sequence's share of a step.
struct StepItem {
  KvSequence* kv;
  std::span<const TokenId> tokens;  // appended to the sequence
  int64_t n_outputs;                // logits of this many of the last tokens
};

class Runner {
 public:
  /// `model` and `backend` must outlive the runner. Throws kBadInput for an unknown KV type.
  Runner(const LoadedModel& model, Backend& backend, const KvOptions& kv);

  KvSequence new_sequence() { return {pool_, spec_.page_keys}; }

  /// Computes the step and appends to the sequences; logits of all outputs in order (outputs, n_vocab), valid until the next
  /// run. Throws kNoMemory when the KV pages do not suffice; the sequences are then as before.
  TensorView run(std::span<const StepItem> items, Profile* profile = nullptr);

  /// The statistics of the last step, for costs.
  const StepStats& last_stats() const { return stats_; }
  /// The program that a step of this size uses; compiles it when it is the first.
  Program& program(int64_t n_tokens, int64_t n_outputs);

  const LoadedModel& model() const { return model_; }
  const KvSpec& kv_spec() const { return spec_; }
  /// A layer's place in the pages.
  KvView layer_view(int64_t layer) const { return layer_views_[static_cast<size_t>(layer)]; }
  PagePool& pool() { return pool_; }

 private:
  void reserve(std::span<const StepItem> items);
  void collect(std::span<const StepItem> items);
  void collect_views(std::span<const StepItem> items);

  const LoadedModel& model_;
  Backend& backend_;
  KvSpec spec_;
  const KvLayout* layout_;
  std::vector<KvView> layer_views_;  // (n_layers), without pages
  PagePool pool_;
  std::map<StepCapacity, std::unique_ptr<Program>> programs_;

  // The running step; kept to save allocations.
  std::vector<int32_t> tokens_, positions_, output_rows_, row_seq_;
  std::vector<KvView> views_;
  std::vector<StepStats::Sequence> sequences_;
  StepStats stats_;
};

}  // namespace skald
