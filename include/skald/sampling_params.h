// How the next token is chosen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "skald/types.h"

#pragma GCC visibility push(default)
namespace skald {

/// Adds to the logit of one token; -infinity: it is never chosen.
struct LogitBias {
  TokenId id;
  float bias;
};

/// Configures a chain of samplers, which cuts and reweighs the next tokens. One of the remaining tokens is then drawn by its
/// probability. Names and defaults follow llama.cpp; docs/sampling.md has each sampler's formula.
struct SamplingParams {
  static constexpr uint64_t kRandomSeed = ~uint64_t{0};

  /// Returns the order of llama.cpp.
  static std::vector<std::string> default_samplers() {
    return {"penalties", "dry", "top_n_sigma", "top_k", "typ_p", "top_p", "min_p", "xtc", "temperature"};
  }

  /// Reads the samplers of a list as "top_k;top_p" or "top_k,top_p", also by llama.cpp's other names for them ("top-k",
  /// "typical", "temp"). Names that are unknown stay, for check() to refuse.
  static std::vector<std::string> parse_samplers(std::string_view list);
  /// Reads the samplers of llama.cpp's letters: "edskypmxt". Throws Error (kBadInput) naming a letter that is none.
  static std::vector<std::string> parse_sampler_letters(std::string_view letters);

  float temperature = 0.8f;     // 0: always the most likely token (greedy)
  int top_k = 40;               // keep the k most likely tokens; 0: all
  float top_p = 0.95f;          // keep the most likely tokens up to this total probability; 1: all
  float min_p = 0.05f;          // drop tokens less likely than this share of the most likely one's probability; 0: none
  int min_keep = 0;             // tokens that top_p, min_p, typ_p and xtc leave at least; 0: one
  float repeat_penalty = 1.0f;  // > 1 makes the last tokens less likely again; 1: off
  float presence_penalty = 0;   // subtracted from the logits of tokens among the last ones
  float frequency_penalty = 0;  // subtracted once per occurrence among the last ones
  int repeat_last_n = 64;       // how many last tokens count; -1: all, 0: none

  float dynatemp_range = 0;     // the temperature follows the entropy, from temperature - range to + range; 0: off
  float dynatemp_exponent = 1;  // of the entropy as a share of the largest there could be
  float typical_p = 1;          // keep the tokens of most typical surprise up to this total probability; 1: all
  float top_n_sigma = -1;       // keep logits within this number of standard deviations of the best; 0 or less: all
  float xtc_probability = 0;    // chance that all but the last of the tokens above the threshold are dropped; 0: never
  float xtc_threshold = 0.1f;   // probability from which on a token is one of them; above 0.5: off
  float dry_multiplier = 0;     // strength of the penalty on tokens that would go on with a repetition; 0: off
  float dry_base = 1.75f;       // each further token of a repetition multiplies the penalty by it; below 1: off
  int dry_allowed_length = 2;   // repetitions shorter than this are free
  int dry_penalty_last_n = -1;  // how many last tokens are searched; -1: all, 0: none
  int mirostat = 0;             // 1, 2: instead of the chain, after the temperature; 0: off
  float mirostat_lr = 0.1f;     // how fast it follows: eta
  float mirostat_ent = 5;       // surprise per token in bits that it aims at: tau
  float adaptive_target = -1;   // probability that adaptive_p aims at on average; negative: off
  float adaptive_decay = 0.9f;  // how long it remembers: weight of the average's past; at most 0.99 counts
  std::vector<LogitBias> logit_bias = {};  // before the chain; several of one token add up
  /// Lists token sequences across which DRY sees no repetition (Model::dry_breakers makes them of texts).
  std::vector<std::vector<TokenId>> dry_breakers = {};
  /// Lists the chain: samplers in their order, each as often as wanted; adaptive_p acts last wherever it stands. Empty:
  /// none.
  std::vector<std::string> samplers = default_samplers();
  uint64_t seed = kRandomSeed;  // equal seeds give equal text, whatever the threads or the batch

  /// Throws Error (kBadInput) naming the parameter that is out of range.
  void check() const;
  /// Checks the ids of logit_bias and dry_breakers, too: n_vocab is the size of a row of logits.
  void check(int64_t n_vocab) const;
};

}  // namespace skald
#pragma GCC visibility pop
