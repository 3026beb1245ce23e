// A model that is attention only: every layer attends with the same random queries, keys and values, which depend on the
// token.
#pragma once

#include <cstdint>
#include <vector>

#include "loading/step_model.h"
#include "tensor/buffer.h"

namespace skald {

struct AttentionShape {
  int64_t n_layers, n_heads, n_kv_heads, d_head;
};

class AttentionModel {
 public:
  static constexpr int64_t kTokens = 4096;  // distinct ones

  explicit AttentionModel(const AttentionShape& shape);

  /// Returns the model for runners, which it must outlive.
  StepModel step_model() const;

 private:
  struct Values {
    Tensor q, k, v;
  };
  Values embed(Net& net) const;
  Graph graph(const StepCapacity& capacity) const;
  WeightLookup lookup() const;
  const std::byte* weight(std::string_view name) const;

  AttentionShape shape_;
  Buffer q_, k_, v_;  // tables of embeddings (kTokens, heads * d_head)
};

}  // namespace skald
