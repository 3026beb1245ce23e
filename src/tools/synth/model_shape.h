// Sizes of well-known models, by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/meta.h"

namespace skald {

struct ModelShape {
  std::string_view name, arch;
  int64_t n_layers, d_model, d_ff, n_heads, n_kv_heads, d_head, n_vocab, n_ctx;
  int64_t window;                                           // 0: none
  float theta;                                              // of RoPE
  bool tied;                                                // the embedding table is the output matrix too
  int64_t n_experts = 0, n_experts_used = 0, d_expert = 0;  // d_expert: an expert's d_ff
};

/// Throws kBadInput naming `name` and the known ones.
/// `n_layers` of its layers, 0: all; throws kBadInput where it has fewer.
ModelShape find_shape(std::string_view name, int64_t n_layers = 0);

/// Names that find_shape knows.
std::vector<std::string> shape_names();

/// Returns the hyperparameters as model files have them; no tokenizer.
Meta hyperparameters(const ModelShape& shape);

}  // namespace skald
