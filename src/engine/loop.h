// Loop: admits jobs, plans and computes steps, samples, and ends jobs. Runs on one thread; tests drive it with a stepper and
// a clock of their own.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <list>
#include <optional>
#include <span>
#include <vector>

#include "engine/conversations.h"
#include "engine/job.h"
#include "engine/scheduler.h"
#include "stepping/stepper.h"

namespace skald {

struct LoopOptions {
  Job::Limits limits;
  int64_t n_parallel = 1;  // branches that run at the same time
  int64_t rows = 1;        // most tokens of a step
  const Tokenizer* tokenizer = nullptr;
  CheckpointOptions checkpoints = {};
  /// Whether a message of a chat ends with this token; empty: no text has messages.
  std::function<bool(TokenId)> ends_message = {};
  /// Tokens at the beginning of a prompt that see each other; empty: none.
  std::function<int64_t(std::span<const TokenId> prompt)> prefix = {};
  /// fn(i) for 0 <= i < n, on several threads if there are.
  std::function<void(int64_t n, const std::function<void(int64_t)>& fn)> share = {};
  /// Guesses of what follows a text, fewer than `rows`; empty: none.
  std::function<std::vector<TokenId>(std::span<const TokenId> text)> draft = {};
  /// Called when a step is computed, before its tokens are reported; may be empty.
  std::function<void()> computed = {};
  std::function<Clock::time_point()> now = [] { return Clock::now(); };
};

class Loop {
 public:
  /// `stepper` must outlive the loop.
  Loop(Stepper& stepper, LoopOptions options);

  /// What is wrong with a request is the caller's to find out before.
  void submit(RequestId id, Request request, std::promise<Result> promise, std::optional<Guide> guide = {});
  void cancel(RequestId id);
  void cancel_all();
  void forget(ConversationId conversation) { conversations_.forget(conversation); }

  bool idle() const { return jobs_.empty() && waiting_.empty(); }
  /// Admits what has room, and computes one step if there is anything to compute.
  void step();

  int64_t running() const { return std::ssize(jobs_); }
  int64_t paused() const;

 private:
  struct Waiting {
    RequestId id;
    Request request;
    std::promise<Result> promise;
    std::optional<Guide> guide;
  };
  struct Member {
    Job* job;
    Branch* branch;
  };
  void admit();
  void resume();
  void end_unrun(Waiting& waiting, FinishReason reason);
  std::vector<Member> members(bool paused);
  void plan(std::vector<Member>& in_step, std::vector<StepItem>& items);
  void make_way();
  void run(std::span<const Member> in_step, std::span<const StepItem> items);
  bool compute(std::span<const Member> in_step, std::span<const StepItem> items);
  void mark(const Member& member);
  void sample(std::span<const Member> in_step, std::span<const StepItem> items, const Logits& logits);
  Past past_for(const Request& request);
  void set_stops(Job& job) const;
  void make_room_for(std::span<const Member> members);
  void retire(Job& job);
  void remove_ended();

  Stepper& stepper_;
  LoopOptions o_;
  std::deque<Waiting> waiting_;
  std::list<Job> jobs_;  // the oldest first
  Conversations conversations_;
};

}  // namespace skald
