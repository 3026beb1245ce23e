// What SamplingParams may hold.
#include <cmath>

#include "base/error.h"
#include "base/want.h"
#include "sampling/chain.h"
#include "sampling/number_table.h"
#include "skald/sampling_params.h"

namespace skald {
namespace {

constexpr size_t kMostSamplers = 64, kMostBreakers = size_t{1} << 20, kLongestBreaker = 64;

void check_breakers(const SamplingParams& p) {
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
  for (const SamplingNumber& number : sampling_numbers()) number.check(*this);
  check_breakers(*this);
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
