// What SamplingParams may hold.
#include <cmath>

#include "base/error.h"
#include "base/want.h"
#include "sampling/chain.h"
#include "skald/sampling_params.h"

namespace skald {
namespace {

constexpr size_t kMostSamplers = 64, kMostBreakers = size_t{1} << 20, kLongestBreaker = 64;

bool from_0(float x) { return x >= 0 && std::isfinite(x); }
bool share(float x) { return x >= 0 && x <= 1; }

void check_first(const SamplingParams& p) {
  want(from_0(p.temperature), "sampling.temperature", "a number of at least 0");
  want(p.top_k >= 0, "sampling.top_k", "0 (all) or more");
  want(share(p.top_p), "sampling.top_p", "a number from 0 to 1");
  want(share(p.min_p), "sampling.min_p", "a number from 0 to 1");
  want(p.min_keep >= 0, "sampling.min_keep", "0 (one token) or more");
  want(p.repeat_penalty > 0 && std::isfinite(p.repeat_penalty), "sampling.repeat_penalty", "a number above 0");
  want(std::isfinite(p.presence_penalty), "sampling.presence_penalty", "a finite number");
  want(std::isfinite(p.frequency_penalty), "sampling.frequency_penalty", "a finite number");
  want(p.repeat_last_n >= -1, "sampling.repeat_last_n", "-1 (all), 0 (none) or more");
}

void check_others(const SamplingParams& p) {
  want(from_0(p.dynatemp_range), "sampling.dynatemp_range", "a number of at least 0");
  want(from_0(p.dynatemp_exponent), "sampling.dynatemp_exponent", "a number of at least 0");
  want(share(p.typical_p), "sampling.typical_p", "a number from 0 to 1");
  want(std::isfinite(p.top_n_sigma), "sampling.top_n_sigma", "a number; 0 or less switches it off");
  want(share(p.xtc_probability), "sampling.xtc_probability", "a number from 0 to 1");
  want(share(p.xtc_threshold), "sampling.xtc_threshold", "a number from 0 to 1; above 0.5 switches it off");
  want(p.mirostat >= 0 && p.mirostat <= 2, "sampling.mirostat", "0 (off), 1 or 2");
  want(from_0(p.mirostat_lr), "sampling.mirostat_lr", "a number of at least 0");
  want(from_0(p.mirostat_ent), "sampling.mirostat_ent", "a number of at least 0");
  want(p.adaptive_target <= 1 && std::isfinite(p.adaptive_target), "sampling.adaptive_target",
       "a number from 0 to 1, or a negative one to switch it off");
  want(share(p.adaptive_decay), "sampling.adaptive_decay", "a number from 0 to 1, of which 0.99 is the most that counts");
}

void check_dry(const SamplingParams& p) {
  want(from_0(p.dry_multiplier), "sampling.dry_multiplier", "a number of at least 0");
  want(from_0(p.dry_base), "sampling.dry_base", "a number of at least 0; below 1 switches it off");
  want(p.dry_allowed_length >= 0, "sampling.dry_allowed_length", "0 or more");
  want(p.dry_penalty_last_n >= -1, "sampling.dry_penalty_last_n", "-1 (all), 0 (none) or more");
  want(p.dry_breakers.size() <= kMostBreakers, "sampling.dry_breakers", "at most 1048576 sequences");
  for (const std::vector<TokenId>& b : p.dry_breakers)
    want(!b.empty() && b.size() <= kLongestBreaker, "sampling.dry_breakers", "sequences of 1 to 64 tokens");
}

void check_biases(const SamplingParams& p) {
  for (const auto& [id, bias] : p.logit_bias)
    if (std::isnan(bias) || bias == HUGE_VALF)
      fail(Errc::kBadInput, "sampling.logit_bias: the bias of token {} is {}; want a number, or -inf", id,
           std::isnan(bias) ? "nan" : "+inf");
}

}  // namespace

void SamplingParams::check() const {
  check_first(*this);
  check_others(*this);
  check_dry(*this);
  check_biases(*this);
  want(samplers.size() <= kMostSamplers, "sampling.samplers", "at most 64 samplers");
  chain_of(*this);
}

void SamplingParams::check(int64_t n_vocab) const {
  check();
  const auto check_id = [&](const char* field, TokenId id) {
    if (id < 0 || id >= n_vocab) fail(Errc::kBadInput, "{}: token {} is outside the vocabulary of {}", field, id, n_vocab);
  };
  for (const LogitBias& b : logit_bias) check_id("sampling.logit_bias", b.id);
  for (const std::vector<TokenId>& sequence : dry_breakers)
    for (const TokenId id : sequence) check_id("sampling.dry_breakers", id);
}

}  // namespace skald
