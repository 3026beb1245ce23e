#include "engine/job.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/callback.h"
#include "engine/ending.h"
#include "engine/error_code.h"

namespace skald {

Job::Job(RequestId id, Request request, Past past, const Tokenizer* tokenizer, Limits limits, KeptPromise<Result> promise,
         std::unique_ptr<GrammarCursor> grammar) noexcept
    : id_(id),
      request_(std::move(request)),
      tokenizer_(tokenizer),
      limits_(limits),
      promise_(std::move(promise)),
      withholds_(ranks()) {
  result_.timing.n_cached = past.kv.length();
  result_.timing.n_prompt = std::ssize(request_.prompt);
  try {
    if (ranks()) request_.log_prob = true;
    result_.others.reserve(static_cast<size_t>(request_.n - 1));  // so that ending takes no memory
    n_candidates_ = static_cast<size_t>(request_.beams) + (tokenizer_ ? tokenizer_->vocab().end_tokens().size() : 0);
    branches_.emplace_back(std::move(past), request_, tokenizer_,
                           grammar ? std::optional(std::move(*grammar)) : std::optional<GrammarCursor>());
    result_.seed = first().seed();
  } catch (const std::exception& e) {
    fail(e, {});
  }
}

void Job::admitted() {
  if (request_.on_start) call_back(id_, [&] { request_.on_start(result_.timing.n_cached); });
}

void Job::started(Clock::time_point now) {
  if (!start_) start_ = now;
}

void Job::prompt_read() {
  if (request_.on_prompt) call_back(id_, [&] { request_.on_prompt(first().kv.length()); });
}

void Job::split() {
  take_prompt_probs();
  for (auto i = std::ssize(branches_); i < n(); ++i)
    branches_.push_back(first().fork(result_.seed + static_cast<uint64_t>(i)));
}

// The prompt fits into the context, so a full sequence has one token to come.
void Job::make_room(Branch& branch) const {
  const int64_t keep = request_.n_kept();
  if (limits_.shift && branch.kv.held() == limits_.n_ctx) branch.kv.drop(keep, (limits_.n_ctx - keep) / 2);
}

bool Job::next(Branch& branch, const Branch::Picked& picked, Clock::time_point now) {
  if (!first_token_) first_token_ = now;
  if (is_end(picked.token)) {
    branch.text.end_token = picked.token;
    if (ranks()) branch.text.log_prob += picked.log_prob;
    end(branch, FinishReason::kEnd);
  } else if (const FinishReason reason = take(branch, picked, now); reason != FinishReason::kNone) {
    end(branch, reason);
  }
  if (branch.done && all_over()) give_result(now);
  return !branch.done;
}

bool Job::is_end(TokenId token) const { return tokenizer_ && tokenizer_->vocab().is_end(token) && !request_.ignore_eos; }

// Adds the token to the text, and reports it. Returns why the text ends with it; kNone: it goes on.
FinishReason Job::take(Branch& branch, const Branch::Picked& picked, Clock::time_point now) {
  const std::string_view text = branch.push(picked);
  branch.text.text += text;
  if (withholds_) branch.pieces.push_back(text.size());
  const Event event{.token = picked.token,
                    .text = text,
                    .branch = number_of(branch),
                    .log_prob = picked.log_prob,
                    .top_log_probs = picked.top_log_probs};
  if (emit(event) || branch.stopped()) return FinishReason::kStop;
  if (picked.ends) return FinishReason::kEnd;
  if (request_.max_tokens >= 0 && std::ssize(branch.text.tokens) >= request_.max_tokens) return FinishReason::kLength;
  if (branch.outdented() || (is_late(now) && text.find('\n') != std::string_view::npos)) return FinishReason::kLength;
  return std::ssize(branch.tokens()) >= most_positions() ? FinishReason::kContext : FinishReason::kNone;
}

int64_t Job::most_positions() const { return limits_.shift ? std::numeric_limits<int32_t>::max() : limits_.n_ctx; }

bool Job::all_over() const {
  return (cut_off_ || std::ssize(branches_) == n()) && std::ranges::all_of(branches_, &Branch::done);
}

bool Job::is_late(Clock::time_point now) const {
  return request_.max_seconds > 0 && seconds_between(*first_token_, now) > request_.max_seconds;
}

void Job::end(Branch& branch, FinishReason reason, std::string_view error, std::optional<Errc> code) {
  const std::string_view rest = branch.flush();
  branch.text.text += rest;
  if (const std::string* stop = branch.stopped()) {
    branch.text.stop_text = *stop;
    reason = FinishReason::kStop;
  }
  close(branch, reason, rest, error, code);
}

void Job::close(Branch& branch, FinishReason reason, std::string_view rest, std::string_view error,
                std::optional<Errc> code) noexcept {
  branch.text.finish = reason;
  branch.done = true;
  if (ranks()) branch.text.score = score_of(branch.text);
  if (!keeps_past || &branch != &first()) branch.kv.clear();
  emit({.text = rest, .finish = reason, .error = error, .code = code, .branch = number_of(branch), .over = all_over()});
}

void Job::finish(FinishReason reason, Clock::time_point now, std::string_view error, std::optional<Errc> code) noexcept {
  if (over_) return;
  set_error(result_, error, code);
  result_.finish = reason;
  cut_off_ = true;
  for (Branch& branch : branches_) {
    if (branch.done) continue;
    try {
      end(branch, reason, error, code);
    } catch (const std::exception&) {
      close(branch, reason, {}, error, code);
    }
  }
  if (ranks()) cut_finished(reason);
  if (branches_.empty()) emit({.finish = reason, .error = error, .code = code, .over = true});
  give_result(now);
}

void Job::fail(const std::exception& why, Clock::time_point now) noexcept {
  finish(FinishReason::kError, now, why.what(), code_of(why));
}

void Job::take_prompt_probs() {
  const auto& prompt = first().prompt_probs();
  if (!prompt || !first().prompt_was_read()) return;
  result_.prompt_log_probs = prompt->log_probs;
  result_.prompt_top_log_probs = prompt->top;
}

void Job::give_result(Clock::time_point now) noexcept {
  for (const Branch& branch : branches_) {
    if (!searches()) result_.timing.n_generated += std::ssize(branch.text.tokens);
    result_.timing.drafts += branch.draft_use;
  }
  if (start_) result_.timing.prompt_seconds = seconds_between(*start_, first_token_.value_or(now));
  if (first_token_) result_.timing.generate_seconds = seconds_between(*first_token_, now);
  if (ranks()) rank();
  if (!branches_.empty()) {
    static_cast<Choice&>(result_) = std::move(first().text);
    auto text = std::next(branches_.begin());
    for (int i = 1; i < request_.n && text != branches_.end(); ++i, ++text) result_.others.push_back(std::move(text->text));
    try {
      take_prompt_probs();
    } catch (const std::exception& e) {
      result_.finish = FinishReason::kError;
      set_error(result_, e.what(), code_of(e));
    }
  }
  over_ = true;
  promise_.set_value(std::move(result_));
}

double Job::score_of(const Choice& text) const {
  return beam_score(text.log_prob, std::ssize(text.tokens) + (text.end_token >= 0),
                    searches() ? request_.length_penalty : 1);
}

// A request that is cut off ends all its texts so, those too that were over and not told.
void Job::cut_finished(FinishReason reason) noexcept {
  for (std::list<Branch>* const texts : {&finished_, &branches_})
    for (Branch& branch : *texts) branch.text.finish = reason;
}

// The best texts go first, and are told.
void Job::rank() noexcept {
  branches_.splice(branches_.begin(), finished_);
  branches_.sort([](const Branch& a, const Branch& b) { return a.text.score > b.text.score; });
  withholds_ = false;
  const int n = std::min(request_.n, static_cast<int>(branches_.size()));
  int number = 0;
  for (auto text = branches_.begin(); number < n; ++text, ++number) tell(*text, number, number == n - 1);
}

void Job::tell(const Branch& branch, int number, bool last) noexcept {
  const Choice& said = branch.text;
  std::string_view rest = said.text;
  for (size_t i = 0; i < branch.pieces.size(); ++i) {
    Event event{.token = said.tokens[i], .text = rest.substr(0, branch.pieces[i]), .branch = number};
    if (!said.log_probs.empty()) event.log_prob = said.log_probs[i];
    if (!said.top_log_probs.empty()) event.top_log_probs = said.top_log_probs[i];
    emit(event);
    rest.remove_prefix(branch.pieces[i]);
  }
  emit({.text = rest, .finish = said.finish, .error = result_.error, .code = result_.code, .branch = number, .over = last});
}

int Job::number_of(const Branch& branch) const {
  const auto found = std::ranges::find(branches_, &branch, [](const Branch& b) { return &b; });
  return static_cast<int>(std::distance(branches_.begin(), found));
}

bool Job::emit(const Event& event) noexcept {
  if (!request_.on_event || withholds_) return false;
  call_back(id_, [&] { request_.on_event(event); });
  return event.stop;
}

}  // namespace skald
