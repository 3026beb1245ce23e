#include "engine/branch.h"

#include <utility>

#include "sampling/log_prob.h"

namespace skald {

Branch::Branch(KvSequence sequence, const Request& request, const Tokenizer* tokenizer)
    : kv(std::move(sequence)),
      sampler_(request.sampling),
      tokenizer_(tokenizer),
      tokens_(request.prompt),
      n_prompt_(std::ssize(request.prompt)),
      wants_log_prob_(request.log_prob) {
  if (tokenizer_) detokenizer_.emplace(*tokenizer_, /*special=*/false, /*continues=*/true);
  for (const TokenId token : request.prompt) sampler_.accept(token);
  if (tokenizer_ && request.ignore_eos) sampler_.ban(tokenizer_->vocab().end_tokens());
}

Branch::Branch(const Branch& other, uint64_t seed)
    : kv(other.kv.fork()),
      text(other.text),
      sampler_(other.sampler_),
      detokenizer_(other.detokenizer_),
      tokenizer_(other.tokenizer_),
      tokens_(other.tokens_),
      n_prompt_(other.n_prompt_),
      wants_log_prob_(other.wants_log_prob_) {
  sampler_.reseed(seed);
}

Branch Branch::fork(uint64_t seed) const { return {*this, seed}; }

std::span<const TokenId> Branch::pending() const {
  const std::span<const TokenId> rest = std::span(tokens_).subspan(static_cast<size_t>(kv.length()));
  return generates() ? rest : rest.first(static_cast<size_t>(n_prompt_ - kv.length()));
}

int64_t Branch::at_once() const {
  if (n_drafts_) return n_drafts_ + 1;
  return kv.length() ? 0 : kv.prefix();
}

int64_t Branch::outputs(int64_t n) const { return kv.length() + n == std::ssize(tokens_) ? n_drafts_ + 1 : 0; }

void Branch::draft(std::span<const TokenId> guesses) {
  tokens_.insert(tokens_.end(), guesses.begin(), guesses.end());
  n_drafts_ = std::ssize(guesses);
}

std::vector<Branch::Picked> Branch::pick(const Logits& logits, int64_t first_row) {
  std::vector<Picked> picked;
  const std::span<const TokenId> drafts = std::span(tokens_).last(static_cast<size_t>(n_drafts_));
  for (size_t i = 0;; ++i) {
    const std::span<const float> row{logits.row(first_row + static_cast<int64_t>(i)), static_cast<size_t>(logits.cols())};
    const TokenId token = sampler_.pick(row);
    picked.push_back({token, wants_log_prob_ ? log_prob(row, token) : 0});
    sampler_.accept(token);
    if (i == drafts.size() || token != drafts[i]) break;
  }
  tokens_.resize(tokens_.size() - static_cast<size_t>(std::exchange(n_drafts_, 0)));
  return picked;
}

void Branch::forget_wrong_drafts() {
  const int64_t length = std::ssize(tokens_) - 1;
  if (kv.length() > length && !kv.truncate(length)) kv.clear();
}

// A vocabulary padded beyond its pieces has ids that no text belongs to.
std::string_view Branch::push(const Picked& picked) {
  const TokenId token = picked.token;
  tokens_.push_back(token);
  text.tokens.push_back(token);
  text.log_prob += picked.log_prob;
  const bool has_text = detokenizer_ && token < tokenizer_->vocab().size();
  return has_text ? detokenizer_->push(token) : std::string_view{};
}

void Branch::pause() {
  if (!kv.can_replay()) saved_.emplace(kv);
  kv.clear();
  tokens_.resize(tokens_.size() - static_cast<size_t>(std::exchange(n_drafts_, 0)));
  paused_ = true;
}

KvRoom Branch::need_to_resume() const { return saved_ ? saved_->need() : kv.need(std::ssize(tokens_) + kPageKeys); }

bool Branch::resume() {
  if (saved_ && !saved_->restore(kv)) return false;
  saved_.reset();
  paused_ = false;
  return true;
}

void Branch::recover() {
  if (!kv.truncate(kv.length())) kv.clear();
}

}  // namespace skald
