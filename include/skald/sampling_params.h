// How the next token is chosen.
#pragma once

#include <cstdint>

namespace skald {

/// Applied in this order: penalties, top-k, top-p, min-p, temperature, draw. Names and defaults follow llama.cpp.
struct SamplingParams {
  float temperature = 0.8f;     // 0: always the most likely token (greedy)
  int top_k = 40;               // keep the k most likely tokens; 0: all
  float top_p = 0.95f;          // keep the most likely tokens up to this total probability; 1: all
  float min_p = 0.05f;          // drop tokens less likely than this share of the most likely one's probability; 0: none
  float repeat_penalty = 1.0f;  // > 1 makes the last tokens less likely again; 1: off
  float presence_penalty = 0;   // subtracted from the logits of tokens among the last ones
  float frequency_penalty = 0;  // subtracted once per occurrence among the last ones
  int repeat_last_n = 64;       // how many last tokens count; -1: all, 0: none
  uint64_t seed = kRandomSeed;  // equal seeds give equal text, whatever the threads or the batch

  static constexpr uint64_t kRandomSeed = ~uint64_t{0};

  /// Throws Error (kBadInput) naming the parameter that is out of range.
  void check() const;
};

}  // namespace skald
