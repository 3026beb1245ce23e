// attention: softmax(scale * q k^T) v over a layer's cache, causal, grouped-query; Vaswani et al., arXiv 1706.03762;
// Ainslie et al., arXiv 2305.13245.
// Inputs: q (tokens, n_heads * d_k), the layer's kv_append [, sink logits (n_heads)] [, biases by distance (n_heads, 2 *
// reach + 1), see distance_bias] [, the bases of the index for keys and for queries (n_kv_heads, d_k, d_k)] [, q for the
// kept keys, as q] [, the keys that rows attend to alone, as choose_keys gives them] [, i32 numbers of q's rows in the step,
// where these are some of them] -> (tokens, n_heads * d_v).
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

struct Attention {
  int64_t n_heads = 0, n_kv_heads = 0;
  int64_t d_k = 0, d_v = 0;  // per head
  float scale = 0;
  KeyWindow window = {};
  float softcap = 0;         // c > 0: scores become c * tanh(score / c); Gemma 2, arXiv 2408.00118
  float alibi_max_bias = 0;  // > 0: ALiBi, arXiv 2108.12409; slopes from 2^-(bias/n) on
  float alibi_scale = 1;  // the slopes are multiplied by it: 1/sqrt(d_k) where a model adds biases before it scales scores
  bool sink_logits = false;  // a logit per head that takes weight and gives nothing (GPT-OSS)
  bool biases = false;       // added to scaled and capped scores; keys beyond the reach have the bias at its end (T5)
  // Set by Net::attention:
  bool kept_queries = false;  // the first keys are met by queries of their own: see KvView::kept
  bool sparse = false;        // some rows may read few keys only
  bool basis = false;         // the index of the keys holds components of a basis
  bool some_rows = false;     // q has some rows of the step: set by pick_early
  int32_t slot = 0;
  int32_t chosen = 0;    // > 0: most keys that a row attends to, which are chosen where it sees more
  int64_t max_keys = 0;  // of a sequence
  // Of a rank that has some of the heads:
  int32_t first_head = 0, all_heads = 0;  // number of the first one, and of how many; 0: n_heads

  /// Where the biases and the bases are among the inputs; of n inputs: the q for kept keys, the chosen keys, and the numbers
  /// of rows.
  size_t biases_at() const { return sink_logits ? 3 : 2; }
  size_t basis_at() const { return biases_at() + (biases ? 1 : 0); }
  size_t kept_input(size_t n) const { return n - 1 - (some_rows ? 1 : 0) - (chosen ? 1 : 0); }
  size_t chosen_input(size_t n) const { return n - 1 - (some_rows ? 1 : 0); }
  static size_t rows_input(size_t n) { return n - 1; }
  /// ALiBi's slope of a query head, 0 without; other numbers of heads than powers of two as in the paper's code.
  float slope(int64_t head) const;
  /// All of them into out (n_heads), which is returned; null without ALiBi.
  const float* slopes(float* out) const;
  std::string describe() const;
  friend bool operator==(const Attention&, const Attention&) = default;
};

/// Throws kBadInput where heads do not divide or the window is negative.
void check_heads(const Attention& a);

extern const OpDef op_attention;

}  // namespace skald
