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
    : id_(id), request_(std::move(request)), tokenizer_(tokenizer), limits_(limits), promise_(std::move(promise)) {
  result_.timing.n_cached = past.kv.length();
  result_.timing.n_prompt = std::ssize(request_.prompt);
  try {
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
  result_.others.reserve(static_cast<size_t>(request_.n - 1));  // so that ending takes no memory
  for (auto i = std::ssize(branches_); i < request_.n; ++i)
    branches_.push_back(first().fork(result_.seed + static_cast<uint64_t>(i)));
}

// The prompt fits into the context, so a full sequence has one token to come.
void Job::make_room(Branch& branch) const {
  const int64_t keep = request_.n_kept();
  if (limits_.shift && branch.kv.held() == limits_.n_ctx) branch.kv.drop(keep, (limits_.n_ctx - keep) / 2);
}

bool Job::next(Branch& branch, const Branch::Picked& picked, Clock::time_point now) {
  const TokenId token = picked.token;
  if (!first_token_) first_token_ = now;
  if (tokenizer_ && tokenizer_->vocab().is_end(token) && !request_.ignore_eos) {
    branch.text.end_token = token;
    end(branch, FinishReason::kEnd);
  } else {
    const std::string_view text = branch.push(picked);
    branch.text.text += text;
    const Event event{.token = token,
                      .text = text,
                      .branch = number_of(branch),
                      .log_prob = picked.log_prob,
                      .top_log_probs = picked.top_log_probs};
    const bool stopped = emit(event) || branch.stopped();
    const int64_t limit = limits_.shift ? std::numeric_limits<int32_t>::max() : limits_.n_ctx;  // of positions
    const bool full = std::ssize(branch.tokens()) >= limit;
    const bool enough = request_.max_tokens >= 0 && std::ssize(branch.text.tokens) >= request_.max_tokens;
    const bool cut = branch.outdented() || (is_late(now) && text.find('\n') != std::string_view::npos);
    if (stopped)
      end(branch, FinishReason::kStop);
    else if (picked.ends)
      end(branch, FinishReason::kEnd);
    else if (full || enough || cut)
      end(branch, enough || cut ? FinishReason::kLength : FinishReason::kContext);
  }
  if (branch.done && std::ssize(branches_) == request_.n && std::ranges::all_of(branches_, &Branch::done)) give_result(now);
  return !branch.done;
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
  if (!keeps_past || &branch != &first()) branch.kv.clear();
  emit({.text = rest, .finish = reason, .error = error, .code = code, .branch = number_of(branch)});
}

void Job::finish(FinishReason reason, Clock::time_point now, std::string_view error, std::optional<Errc> code) noexcept {
  if (over_) return;
  set_error(result_, error, code);
  result_.finish = reason;
  for (Branch& branch : branches_) {
    if (branch.done) continue;
    try {
      end(branch, reason, error, code);
    } catch (const std::exception&) {
      close(branch, reason, {}, error, code);
    }
  }
  if (branches_.empty()) emit({.finish = reason, .error = error, .code = code});
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
    result_.timing.n_generated += std::ssize(branch.text.tokens);
    result_.timing.drafts += branch.draft_use;
  }
  if (start_) result_.timing.prompt_seconds = seconds_between(*start_, first_token_.value_or(now));
  if (first_token_) result_.timing.generate_seconds = seconds_between(*first_token_, now);
  if (!branches_.empty()) {
    static_cast<Choice&>(result_) = std::move(first().text);
    for (auto branch = std::next(branches_.begin()); branch != branches_.end(); ++branch)
      result_.others.push_back(std::move(branch->text));
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

int Job::number_of(const Branch& branch) const {
  const auto found = std::ranges::find(branches_, &branch, [](const Branch& b) { return &b; });
  return static_cast<int>(std::distance(branches_.begin(), found));
}

bool Job::emit(const Event& event) noexcept {
  if (!request_.on_event) return false;
  call_back(id_, [&] { request_.on_event(event); });
  return event.stop;
}

}  // namespace skald
