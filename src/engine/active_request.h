// ActiveRequest: one request while it runs: its cache, sampler, detokenizer and what has come of it so far.
#pragma once

#include <chrono>
#include <future>
#include <optional>

#include "kv/sequence.h"
#include "sampling/sampler.h"
#include "skald/engine.h"
#include "text/detokenizer.h"

namespace skald {

class ActiveRequest {
 public:
  /// `tokenizer` may be null: then there are ids only. `n_ctx` is the longest that the sequence may become, or with `shift`
  /// the most that it may hold.
  ActiveRequest(RequestId id, Request request, KvSequence kv, const Tokenizer* tokenizer, int64_t n_ctx,
                std::promise<Result> promise, bool shift = false);

  RequestId id() const { return id_; }
  KvSequence& kv() { return kv_; }

  /// Tokens that are not in the cache yet: the rest of the prompt, or the one sampled last.
  std::span<const TokenId> pending() const;
  /// So many of them must be in one step.
  int64_t at_once() const { return kv_.length() ? 0 : kv_.prefix(); }
  /// Whether all of the prompt is in the cache.
  bool decoding() const { return kv_.length() >= static_cast<int64_t>(request_.prompt.size()); }
  /// The first step with this request begins.
  void started();
  /// Context shift: when the sequence is full, the older half of what need not be kept is forgotten.
  void make_room();
  /// Samples the next token from the logits of the last pending one. Requests may do so at the same time.
  TokenId pick(std::span<const float> logits) { return sampler_.pick(logits); }
  /// The picked token is the next one: reports it. False when the request is over.
  bool next(TokenId token);
  /// Reports the end and gives the result to whoever waits for it. Called once.
  void finish(FinishReason reason, std::string_view error = {});

 private:
  using Clock = std::chrono::steady_clock;
  void emit(const Event& event);

  RequestId id_;
  Request request_;
  KvSequence kv_;
  Sampler sampler_;
  const Tokenizer* tokenizer_;
  std::optional<Detokenizer> detokenizer_;
  int64_t n_ctx_, n_kept_;
  bool shift_;
  std::promise<Result> promise_;
  Result result_;
  std::vector<TokenId> sequence_;  // prompt and generated tokens
  std::optional<Clock::time_point> start_, first_token_;
};

}  // namespace skald
