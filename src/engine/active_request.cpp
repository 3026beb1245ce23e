#include "engine/active_request.h"

#include <limits>
#include <utility>

#include "base/log.h"

namespace skald {

ActiveRequest::ActiveRequest(RequestId id, Request request, KvSequence kv, const Tokenizer* tokenizer, int64_t n_ctx,
                             std::promise<Result> promise, bool shift)
    : id_(id),
      request_(std::move(request)),
      kv_(std::move(kv)),
      sampler_(request_.sampling),
      tokenizer_(tokenizer),
      n_ctx_(n_ctx),
      n_kept_(request_.n_kept()),
      shift_(shift),
      promise_(std::move(promise)),
      sequence_(request_.prompt) {
  if (tokenizer_) detokenizer_.emplace(*tokenizer_, /*special=*/false, /*continues=*/true);
  for (TokenId token : request_.prompt) sampler_.accept(token);
  result_.seed = sampler_.seed();
  result_.timing.n_prompt = static_cast<int64_t>(request_.prompt.size());
}

std::span<const TokenId> ActiveRequest::pending() const {
  return std::span(sequence_).subspan(static_cast<size_t>(kv_.length()));
}

void ActiveRequest::started() {
  if (!start_) start_ = Clock::now();
}

// The prompt fits into the context, so a full sequence has one token to come.
void ActiveRequest::make_room() {
  if (shift_ && kv_.held() == n_ctx_) kv_.drop(n_kept_, (n_ctx_ - n_kept_) / 2);
}

bool ActiveRequest::next(TokenId token) {
  if (!first_token_) first_token_ = Clock::now();
  if (tokenizer_ && tokenizer_->vocab().is_end(token) && !request_.ignore_eos) {
    finish(FinishReason::kEnd);
    return false;
  }
  sampler_.accept(token);
  sequence_.push_back(token);
  result_.tokens.push_back(token);
  // A vocabulary padded beyond its pieces has ids that no text belongs to.
  const bool has_text = detokenizer_ && token < tokenizer_->vocab().size();
  const std::string_view text = has_text ? detokenizer_->push(token) : std::string_view{};
  result_.text += text;
  emit({.token = token, .text = text});
  const int64_t limit = shift_ ? std::numeric_limits<int32_t>::max() : n_ctx_;  // of positions
  const bool full = static_cast<int64_t>(sequence_.size()) >= limit;
  const bool enough = request_.max_tokens >= 0 && static_cast<int64_t>(result_.tokens.size()) >= request_.max_tokens;
  if (full || enough) finish(FinishReason::kLength);
  return !full && !enough;
}

void ActiveRequest::finish(FinishReason reason, std::string_view error) {
  const auto seconds = [](Clock::time_point a, Clock::time_point b) { return std::chrono::duration<double>(b - a).count(); };
  const std::string_view rest = detokenizer_ ? detokenizer_->flush() : std::string_view{};
  result_.text += rest;
  result_.finish = reason;
  result_.error = error;
  result_.timing.n_generated = static_cast<int64_t>(result_.tokens.size());
  if (start_) result_.timing.prompt_seconds = seconds(*start_, first_token_.value_or(Clock::now()));
  if (first_token_) result_.timing.generate_seconds = seconds(*first_token_, Clock::now());
  emit({.text = rest, .finish = reason, .error = error});
  kv_.clear();
  promise_.set_value(std::move(result_));
}

void ActiveRequest::emit(const Event& event) {
  if (!request_.on_event) return;
  try {
    request_.on_event(event);
  } catch (const std::exception& e) {
    log(LogLevel::kError, "request {}: its callback threw: {}", id_, e.what());
  } catch (...) {
    log(LogLevel::kError, "request {}: its callback threw", id_);
  }
}

}  // namespace skald
