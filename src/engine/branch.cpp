#include "engine/branch.h"

#include <algorithm>
#include <utility>

#include "stepping/log_probs.h"

namespace skald {

// Rows of logits in a step are as long as the vocabulary.
static constexpr int64_t kMostPromptRows = 64;

static NextTokens next_tokens(const Request& request, const Tokenizer* tokenizer, std::optional<GrammarCursor> grammar) {
  Sampler sampler(request.sampling);
  for (const TokenId token : request.prompt) sampler.accept(token);
  if (tokenizer && request.ignore_eos && !grammar) sampler.ban(tokenizer->vocab().end_tokens());
  return {std::move(sampler), std::move(grammar), request.ignore_eos};
}

Branch::Branch(Past past, const Request& request, const Tokenizer* tokenizer, std::optional<GrammarCursor> grammar)
    : kv(std::move(past.kv)),
      next_(next_tokens(request, tokenizer, std::move(grammar))),
      stop_(request.stop),
      indent_(request.min_indent),
      forcer_(request.forcer),
      forcing_(forcer_ ? forcer_->begin() : nullptr),
      tokenizer_(tokenizer),
      tokens_(request.prompt),
      n_prompt_(std::ssize(request.prompt)),
      read_(kv.length()),
      exact_(past.exact == kv.length() ? n_prompt_ : past.exact),
      wants_log_prob_(request.log_prob),
      top_log_probs_(request.top_log_probs) {
  if (request.prompt_log_probs) {
    const auto places = static_cast<size_t>(n_prompt_ - 1);
    prompt_probs_.emplace(PromptProbs{std::vector<double>(places), std::vector<std::vector<TokenLogProb>>(places)});
  }
  if (tokenizer_) detokenizer_.emplace(*tokenizer_, request.show_special, /*continues=*/true);
}

Branch::Branch(const Branch& other, uint64_t seed)
    : kv(other.kv.fork()),
      text(other.text),
      pieces(other.pieces),
      drafts(other.drafts ? other.drafts->fork() : nullptr),
      pilot(other.pilot),
      next_(other.next_),
      detokenizer_(other.detokenizer_),
      stop_(other.stop_),
      indent_(other.indent_),
      forcer_(other.forcer_),
      forcing_(forcer_ ? forcer_->begin() : nullptr),
      tokenizer_(other.tokenizer_),
      tokens_(other.tokens_),
      n_prompt_(other.n_prompt_),
      read_(other.read_),
      exact_(other.exact_),
      outlook_(other.outlook_),
      wants_log_prob_(other.wants_log_prob_),
      top_log_probs_(other.top_log_probs_),
      paused_(other.paused_),
      saved_(other.saved_) {
  next_.reseed(seed);
  if (forcing_)
    for (const TokenId token : text.tokens) forcing_->after(token);
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

int64_t Branch::until_stop() const {
  int64_t left = std::ssize(pending());
  if (wants_prompt() && !generates()) left = std::max(at_once(), std::min(left, kMostPromptRows));
  if (pilot && generates()) return std::min(left, SparqPilot::rows_alike(kv.length()));
  const std::optional<int64_t> next = next_stop();
  return next ? std::max(at_once(), std::min(left, *next - kv.length())) : left;
}

std::optional<int64_t> Branch::next_stop() const {
  const auto next = std::ranges::upper_bound(stops_, kv.length());
  return generates() || next == stops_.end() ? std::nullopt : std::optional(*next);
}

int64_t Branch::outputs(int64_t n) const {
  if (wants_prompt() && !generates()) return n;
  return kv.length() + n == std::ssize(tokens_) ? n_drafts_ + 1 : 0;
}

// The step is done: its rows end at the cache's length.
void Branch::note_prompt(const Logits& logits, int64_t first_row, int64_t n) {
  const int64_t from = kv.length() - n;
  for (int64_t i = 0; i < n && from + i + 1 < n_prompt_; ++i) {
    const auto place = static_cast<size_t>(from + i);
    Picked said = with_all_log_probs(tokens_[place + 1], logits, first_row + i);
    prompt_probs_->log_probs[place] = said.log_prob;
    prompt_probs_->top[place] = std::move(said.top_log_probs);
  }
}

void Branch::draft(std::span<const TokenId> guesses) {
  tokens_.insert(tokens_.end(), guesses.begin(), guesses.end());
  n_drafts_ = std::ssize(guesses);
  if (n_drafts_ && !kv.can_take_back(n_drafts_)) before_drafts_ = kv.checkpoint();
}

void Branch::drop_drafts() {
  tokens_.resize(tokens_.size() - static_cast<size_t>(std::exchange(n_drafts_, 0)));
  before_drafts_.reset();
}

std::vector<Branch::Picked> Branch::pick(const Logits& logits, int64_t first_row) {
  std::vector<Picked> picked;
  const std::span<const TokenId> guesses = std::span(tokens_).last(static_cast<size_t>(n_drafts_));
  for (size_t i = 0;; ++i) {
    const int64_t row = first_row + static_cast<int64_t>(i);
    const TokenId token = next_.choose(logits, row);
    take(picked.emplace_back(with_log_probs(token, logits, row)));
    if (picked.back().ends || i == guesses.size() || token != guesses[i]) break;
  }
  if (n_drafts_) {
    const int64_t right = std::min(std::ssize(picked) - 1, n_drafts_);
    draft_use.add(n_drafts_, right);
    if (drafts) drafts->judge(right, n_drafts_);
  }
  tokens_.resize(tokens_.size() - static_cast<size_t>(std::exchange(n_drafts_, 0)));
  right_ = std::ssize(tokens_) + std::ssize(picked) - 1;
  // Forced tokens are computed along with the last one, unless their log probabilities are wanted.
  if (!wants_log_prob_ && !top_log_probs_)
    while (const std::optional<TokenId> next = next_.forced()) take(picked.emplace_back(Picked{*next}));
  return picked;
}

void Branch::look(const Logits& logits, int64_t row, size_t n) {
  Outlook all;
  for (const auto& [id, log_prob] : next_.likeliest(logits, row, n)) all.candidates.push_back({id, log_prob});
  if (top_log_probs_ && !all.candidates.empty())
    all.top = with_all_log_probs(all.candidates.front().token, logits, row).top_log_probs;
  outlook_ = std::move(all);
}

Branch::Picked Branch::follow(const TokenLogProb& candidate) {
  Picked picked{candidate.token, candidate.log_prob, std::move(outlook_->top)};
  outlook_.reset();
  take(picked);
  return picked;
}

void Branch::take(Picked& picked) {
  picked.ends = next_.accept(picked.token);
  if (forcing_) next_.force(forcing_->after(picked.token));
}

Branch::Picked Branch::with_log_probs(TokenId token, const Logits& logits, int64_t row) const {
  return wants_log_prob_ || top_log_probs_ ? with_all_log_probs(token, logits, row) : Picked{token};
}

Branch::Picked Branch::with_all_log_probs(TokenId token, const Logits& logits, int64_t row) const {
  const TokenLogProbs said = log_probs(logits, row, token, static_cast<size_t>(top_log_probs_));
  Picked out{token, said.token};
  for (const auto& [id, log_prob] : said.best) out.top_log_probs.push_back({id, log_prob});
  return out;
}

// A sequence that does not go back begins again before the drafts, with the rows that were right.
void Branch::forget_wrong_drafts() {
  const std::optional<KvCheckpoint> before = std::exchange(before_drafts_, {});
  if (kv.length() > right_ && !kv.truncate(right_)) begin_again(before);
}

// A vocabulary padded beyond its pieces has ids that no text belongs to.
std::string_view Branch::push(const Picked& picked) {
  const TokenId token = picked.token;
  tokens_.push_back(token);
  text.tokens.push_back(token);
  text.log_prob += picked.log_prob;
  if (wants_log_prob_ || top_log_probs_) text.log_probs.push_back(picked.log_prob);
  if (top_log_probs_) text.top_log_probs.push_back(picked.top_log_probs);
  const bool has_text = detokenizer_ && token < tokenizer_->vocab().size();
  return has_text ? indent_.push(stop_.push(detokenizer_->push(token))) : std::string_view{};
}

std::string_view Branch::flush() {
  if (!detokenizer_ || stopped() || outdented()) return {};
  rest_ = stop_.push(detokenizer_->flush());
  if (!stopped()) rest_ += stop_.flush();
  return indent_.push(rest_);
}

void Branch::pause() {
  if (!kv.can_replay() || exact_ < n_prompt_) saved_ = std::make_shared<const SavedSequence>(kv);
  kv.clear();
  drop_drafts();
  paused_ = true;
}

KvRoom Branch::need_to_resume() const { return saved_ ? saved_->need() : kv.need(std::ssize(tokens_) + kPageKeys); }

bool Branch::resume() {
  if (saved_ && !saved_->restore(kv)) return false;
  saved_.reset();
  paused_ = false;
  return true;
}

int64_t Branch::note_read() {
  const int64_t now = std::max(read_, std::min(kv.length(), n_prompt_));
  return now - std::exchange(read_, now);
}

int64_t Branch::take_over(Past past) {
  exact_ = past.exact == past.kv.length() ? n_prompt_ : past.exact;
  kv = std::move(past.kv);
  return note_read();
}

void Branch::recover() {
  if (!kv.truncate(kv.length())) begin_again(before_drafts_);
}

void Branch::begin_again(const std::optional<KvCheckpoint>& at) {
  if (at)
    kv.restore(*at);
  else
    kv.clear();
}

}  // namespace skald
