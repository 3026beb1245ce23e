// The rows of a step by the experts that they go to, and work on them that keeps all threads busy however uneven it is.
#pragma once

#include <algorithm>
#include <span>

#include "backend/cpu/matmul.h"
#include "base/checked.h"

namespace skald {

/// One expert's share of a step's rows.
struct ExpertRows {
  int64_t expert;
  int64_t first, n;  // rows [first, first + n) of ExpertStep
};

/// A step's (token, slot) pairs, sorted by expert: each expert's weights are read once for all of its rows.
class ExpertStep {
 public:
  /// Returns the bytes of scratch for this many tokens with k experts each.
  static int64_t scratch_bytes(int64_t tokens, int64_t k, int64_t n_experts);
  /// ids (tokens, k). Those of the `n_experts` from `first` on count; its experts are numbered from there.
  ExpertStep(const TensorView& ids, int64_t n_experts, std::byte* memory, int64_t first = 0);

  /// By id; only those that have rows.
  std::span<const ExpertRows> experts() const { return experts_; }
  /// token * k + slot of each row, and its token; the rows of an expert in the order of tokens.
  std::span<const int32_t> slots() const { return slots_; }
  std::span<const int32_t> tokens() const { return tokens_; }

  /// Hands out the outputs [0, n) of all experts: body(expert, begin, end, thread) with `begin` a multiple of kOutputGrain.
  /// Threads take shares of the whole work, experts with many rows first, and smaller ones towards the end.
  template <class Body>
  void outputs(ThreadPool& pool, int64_t n, Body&& body) const;

 private:
  static int64_t grain_weight(const ExpertRows& e);

  std::span<ExpertRows> experts_, heaviest_;  // the same: by id, by rows
  std::span<int32_t> slots_, tokens_;
};

/// Returns the outputs of a block of products, which has all of an expert's rows and stays in a thread's L2 cache.
int64_t outputs_at_once(int64_t rows);
/// Returns the floats of the largest block, where a step has this many rows.
int64_t block_floats(int64_t rows);

template <class Body>
void ExpertStep::outputs(ThreadPool& pool, int64_t n, Body&& body) const {
  const int64_t grains = ceil_div(n, kOutputGrain);
  int64_t work = 0;
  for (const ExpertRows& e : heaviest_) work += grains * grain_weight(e);
  // The grains of all experts one after the other, each as long as its weight: a range takes those that begin in it.
  pool.guided(work, heaviest_.empty() ? 1 : grain_weight(heaviest_.back()), [&](int64_t begin, int64_t end, int thread) {
    int64_t at = 0;
    for (const ExpertRows& e : heaviest_) {
      const int64_t weight = grain_weight(e), from = ceil_div(std::max(begin - at, int64_t{0}), weight),
                    to = std::min(ceil_div(std::max(end - at, int64_t{0}), weight), grains);
      if (from < to) body(e, from * kOutputGrain, std::min(to * kOutputGrain, n), thread);
      at += grains * weight;
    }
  });
}

}  // namespace skald
