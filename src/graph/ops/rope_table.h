// rope_table: cosines and sines for the positions of a step, shared by all layers with the same rotation.
// Inputs: positions (tokens) i32 [, divisors (dims/2) f32] -> (tokens, dims): dims/2 cosines, then dims/2 sines.
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

enum class RopeScaling : uint8_t { kNone, kLinear, kLlama3, kYarn };

/// Frequencies of a rotary embedding. Su et al., arXiv 2104.09864; YaRN: Peng et al., arXiv 2309.00071.
struct RopeTable {
  int32_t dims = 0;        // rotated values per head, even
  float theta = 10000.0f;  // base
  RopeScaling scaling = RopeScaling::kNone;
  float factor = 1.0f;                                    // how far the context was stretched
  float original_context = 0;                             // llama3, yarn: tokens of context before stretching
  float low_freq_factor = 1.0f, high_freq_factor = 4.0f;  // llama3
  float beta_fast = 32.0f, beta_slow = 1.0f;              // yarn: rotations within the original context
  float ext_factor = 1.0f;                                // yarn: share of the ramp that is applied
  bool whole_pairs = true;                                // yarn: the ramp begins and ends at whole pairs
  float magnitude = 1.0f;                                 // cosines and sines are multiplied by it

  std::string describe() const;
  /// Radians per position of each of the dims/2 pairs, before any per-model divisors; out (dims/2).
  void frequencies(std::span<double> out) const;
  friend bool operator==(const RopeTable&, const RopeTable&) = default;
};

extern const OpDef op_rope_table;

}  // namespace skald
