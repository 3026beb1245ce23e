// Job: one request while it runs: its promise, its events, and one or more branches.
#pragma once

#include <algorithm>
#include <exception>
#include <list>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/beams/beam_search.h"
#include "engine/branch.h"
#include "engine/clock.h"
#include "engine/kept_promise.h"
#include "skald/engine.h"

namespace skald {

class Job {
 public:
  /// The limits of a text.
  struct Limits {
    int64_t n_ctx;       // tokens, or with `shift` the most that the cache holds of them
    bool shift = false;  // a full sequence forgets its oldest half
  };
  /// `tokenizer` may be null: then there are ids only. Throws nothing: a job that cannot begin is over, with the error.
  Job(RequestId id, Request request, Past past, const Tokenizer* tokenizer, Limits limits, KeptPromise<Result> promise,
      std::unique_ptr<GrammarCursor> grammar = nullptr) noexcept;

  RequestId id() const { return id_; }
  ConversationId conversation() const { return request_.conversation; }
  const Request& request() const { return request_; }
  std::list<Branch>& branches() { return branches_; }
  const std::list<Branch>& branches() const { return branches_; }
  Branch& first() { return branches_.front(); }
  /// Texts that it draws, or with which its search begins.
  int64_t n() const { return searches() ? 1 : std::max(request_.n, request_.best_of); }
  /// Returns whether its texts are those of a beam search.
  bool searches() const { return request_.beams > 0; }
  /// Returns whether they compete, so that they are told at the end, the best ones.
  bool ranks() const { return searches() || request_.best_of > request_.n; }
  bool over() const { return over_; }
  int64_t n_cached() const { return result_.timing.n_cached; }

  /// It waited so long to begin, or for its end.
  void queued(double seconds) { result_.timing.queue_seconds = seconds; }
  /// It got a place.
  void admitted();
  /// The first step with this request begins.
  void started(Clock::time_point now);
  /// More of the prompt is in the cache.
  void prompt_read();
  /// The prompt is in the cache: each text gets its branch.
  void split();
  /// Context shift: when the sequence is full, the older half of the keys that need not be kept is forgotten.
  void make_room(Branch& branch) const;
  /// The token is the branch's next one: reports it. False when the branch has ended.
  bool next(Branch& branch, const Branch::Picked& picked, Clock::time_point now);
  /// Returns how many candidates for its next token each text of a search brings.
  size_t n_candidates() const { return n_candidates_; }
  /// When all live texts of its search have their candidates: lets the best go on, and ends others. Adds the slots that are
  /// free now to `freed`, when it throws too. Returns how many tokens the texts got.
  int64_t extend(Clock::time_point now, std::vector<int64_t>& freed);
  /// Ends the texts that still run, reports them, and keeps the promise. Takes no memory that may be missing: a
  /// text may lack its last characters then.
  void finish(FinishReason reason, Clock::time_point now, std::string_view error = {},
              std::optional<Errc> code = {}) noexcept;
  /// Ends it with the exception's error.
  void fail(const std::exception& why, Clock::time_point now) noexcept;

  /// Notes that this many tokens more of the prompt need not be computed.
  void took_over(int64_t tokens) { result_.timing.n_cached += tokens; }
  /// Notes which of its pages the store has.
  void stored(StoredPrefix prefix) { result_.stored = std::move(prefix); }

  bool held = false;        // computes nothing: Engine::pause()
  bool stores = false;      // its prompt is read, and it waits for the store: Request::prefill
  bool keeps_past = false;  // the first text's pages stay until the job is gone, for others to begin with

 private:
  bool is_late(Clock::time_point now) const;
  bool is_end(TokenId token) const;
  FinishReason take(Branch& branch, const Branch::Picked& picked, Clock::time_point now);

  // job_beams.cpp
  BeamGeneration best_candidates() const;
  void end_texts(std::span<const LongerText> ended);
  void replace_live(std::span<const LongerText> live, std::vector<int64_t>& freed);
  void keep_finished(std::list<Branch>& from, std::list<Branch>::iterator text);
  bool is_decided() const;

  void end(Branch& branch, FinishReason reason, std::string_view error = {}, std::optional<Errc> code = {});
  void close(Branch& branch, FinishReason reason, std::string_view rest, std::string_view error,
             std::optional<Errc> code) noexcept;
  bool all_over() const;
  int64_t most_positions() const;
  double score_of(const Choice& text) const;
  void cut_finished(FinishReason reason) noexcept;
  void rank() noexcept;
  void tell(const Branch& branch, int number, bool last) noexcept;
  void take_prompt_probs();
  void give_result(Clock::time_point now) noexcept;
  int number_of(const Branch& branch) const;
  /// Returns true when the callback wants the text to end.
  bool emit(const Event& event) noexcept;

  RequestId id_;
  Request request_;
  const Tokenizer* tokenizer_;
  Limits limits_;
  KeptPromise<Result> promise_;
  Result result_;
  std::list<Branch> branches_;
  std::list<Branch> finished_;  // of a search: texts that are over, the best first
  size_t n_candidates_ = 0;
  bool withholds_ = false;  // events, until all texts are over
  bool cut_off_ = false;    // no text goes on
  std::optional<Clock::time_point> start_, first_token_;
  bool over_ = false;
};

}  // namespace skald
