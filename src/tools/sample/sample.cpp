#include "tools/sample/sample.h"

#include <cmath>
#include <limits>
#include <span>

#include "base/error.h"
#include "base/want.h"
#include "sampling/sampler.h"
#include "text/dry_breakers.h"
#include "tools/report/vocab_file.h"

namespace skald {
namespace {

constexpr int64_t kMostDraws = 10'000'000;

void check_ids(const char* name, std::span<const TokenId> ids, int64_t n_vocab) {
  for (const TokenId id : ids)
    if (id < 0 || id >= n_vocab) fail(Errc::kBadInput, "{}: token {} is outside the vocabulary of {}", name, id, n_vocab);
}

// (n_steps, n_vocab).
std::pair<int64_t, int64_t> shape_of(const NpyFloats& logits) {
  if (logits.shape.empty() || logits.shape.size() > 2)
    fail(Errc::kBadInput, "sample.logits: want one or two dimensions: [vocabulary] or [steps, vocabulary]");
  const int64_t steps = logits.shape.size() == 2 ? logits.shape[0] : 1, n_vocab = logits.shape.back();
  if (steps < 1 || n_vocab < 1) fail(Errc::kBadInput, "sample.logits: there are no logits");
  if (n_vocab > std::numeric_limits<TokenId>::max())
    fail(Errc::kBadInput, "sample.logits: a vocabulary of {} is too large", n_vocab);
  return {steps, n_vocab};
}

std::vector<std::pair<TokenId, double>> with_probabilities(const CandidateSet& tokens) {
  std::vector<std::pair<TokenId, double>> out;
  double total = 0;
  const std::vector<Candidate> all = tokens.best_of(tokens.size());
  for (const Candidate& c : all) total += out.emplace_back(c.id, std::exp(c.logit - all.front().logit)).second;
  for (auto& [id, p] : out) p /= total;
  return out;
}

}  // namespace

std::vector<SampleStep> run_sample(const NpyFloats& logits, const SampleOptions& o) {
  const auto [n_steps, n_vocab] = shape_of(logits);
  want(o.draws >= 1 && o.draws <= kMostDraws, "sample.draws", "1 to 10000000");
  want(n_steps == 1 || o.draws == 1, "sample.draws", "1: logits of several steps give one token each");
  want(o.force.empty() || std::ssize(o.force) == n_steps, "sample.force", "as many tokens as there are steps");
  o.params.check(n_vocab);
  check_ids("sample.history", o.history, n_vocab);
  check_ids("sample.force", o.force, n_vocab);

  Sampler sampler(o.params);
  for (const TokenId id : o.history) sampler.accept(id);
  std::vector<SampleStep> out;
  for (int64_t s = 0; s < n_steps; ++s) {
    const auto row = std::span(logits.values).subspan(static_cast<size_t>(s * n_vocab), static_cast<size_t>(n_vocab));
    SampleStep& step = out.emplace_back();
    step.candidates = with_probabilities(sampler.narrow(row));
    step.tokens.push_back(sampler.draw());
    while (std::ssize(step.tokens) < o.draws) step.tokens.push_back(sampler.pick(row));
    sampler.accept(o.force.empty() ? step.tokens.front() : o.force[static_cast<size_t>(s)]);
  }
  return out;
}

std::vector<std::vector<TokenId>> breakers_of_file(const std::string& path, const LoadOptions& options,
                                                   std::span<const std::string> texts) {
  const auto tokenizer = load_tokenizer(path, options);
  std::vector<std::vector<TokenId>> out;
  for (const std::string& text : texts)
    for (auto& sequence : dry_breakers(*tokenizer, text)) out.push_back(std::move(sequence));
  return out;
}

}  // namespace skald
