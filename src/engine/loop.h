// EngineLoop: admits jobs, plans and computes steps, samples, and ends jobs. Runs on one thread; tests drive it with a
// stepper and a clock of their own.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/conversations.h"
#include "engine/job.h"
#include "engine/kept_promise.h"
#include "engine/prefix_cache.h"
#include "engine/queue.h"
#include "engine/scheduler.h"
#include "engine/slot_runs.h"
#include "engine/speculative_prefill.h"
#include "engine/step_cost.h"
#include "stepping/stepper.h"

namespace skald {

struct LoopOptions {
  Job::Limits limits;
  int64_t n_parallel = 1;  // branches that run at the same time
  int64_t rows = 1;        // most tokens of a step
  const Tokenizer* tokenizer = nullptr;
  CheckpointOptions checkpoints = {};
  bool share_prefixes = false;  // as in CacheOptions
  DiskTier* disk = nullptr;     // where shared pages are kept beyond memory; outlives the loop
  double max_itl_seconds = 0;   // as ScheduleOptions::max_itl_ms
  /// Whether a message of a chat ends with this token; empty: no text has messages.
  std::function<bool(TokenId)> ends_message = {};
  /// Tokens at the beginning of a prompt that see each other; empty: none.
  std::function<int64_t(std::span<const TokenId> prompt)> prefix = {};
  /// fn(i) for 0 <= i < n, on several threads if there are.
  std::function<void(int64_t n, const std::function<void(int64_t)>& fn)> share = {};
  SparqParams sparq = {};                      // of generated tokens
  std::shared_ptr<Drafter> drafts = {};        // guesses at the tokens that follow, of which those count that have room
  int64_t most_guesses = DraftOptions().most;  // of a text in a step
  /// Called when a step is planned, before it is computed; may be empty.
  std::function<void()> planned = {};
  /// Called when a step is computed, before its tokens are reported; may be empty.
  std::function<void(const StepReport&)> computed = {};
  /// Says whose shared pages in memory are told, and to whom; null: none are. Outlives the loop.
  const PrefixReports* reports = nullptr;
  std::function<Clock::time_point()> now = [] { return Clock::now(); };
};

class EngineLoop {
 public:
  /// `stepper` must outlive the loop.
  EngineLoop(Stepper& stepper, LoopOptions options);

  /// The caller checks the request before. `arrived`: now, where it is not given. Throws nothing: a request for which there
  /// is no memory ends with the error, as in all functions below.
  void submit(RequestId id, Request request, KeptPromise<Result> promise, std::unique_ptr<GrammarCursor> grammar = nullptr,
              std::optional<Clock::time_point> arrived = {}) noexcept;
  void cancel(RequestId id);
  void cancel_all();
  void pause(RequestId id) { hold(id, true); }
  void resume(RequestId id) { hold(id, false); }
  void forget(ConversationId conversation) { conversations_.forget(conversation); }

  /// Engine::save_slot() and its like: told by the promise after some steps.
  void save_slot(int64_t slot, const std::string& owner, KeptPromise<SlotImage> promise);
  void restore_slot(int64_t slot, const std::string& owner, SlotImage image, KeptPromise<int64_t> promise);
  void erase_slot(int64_t slot, const std::string& owner, KeptPromise<int64_t> promise) {
    slots_.erase(slot, owner, std::move(promise));
  }
  /// Hands the pages to write to the disk, as many as can wait there: before the end.
  void flush();

  bool idle() const { return jobs_.empty() && queue_.empty() && prefills_.empty(); }
  /// Returns whether step() has something to do: not all that there is has been paused.
  bool has_work() const;
  /// Admits requests that have room, and computes one step if there is anything to compute. Throws nothing: a failure of one
  /// request ends that one, and a failure of none alone ends those that have begun.
  void step() noexcept;

  int64_t running() const { return std::ssize(jobs_); }
  int64_t waiting() const { return queue_.size(); }
  /// Branches whose pages went to others.
  int64_t paused() const;
  EngineStatus status() const;
  /// The same into `out`, which takes no memory where it has as many slots.
  void status(EngineStatus& out) const;

 private:
  struct Member {
    Job* job;
    Branch* branch;
  };
  void hold(RequestId id, bool held);
  void take_step();
  void end_unrun(Waiting& waiting, FinishReason reason) noexcept;
  void end_failed(RequestId id, const std::exception& why) noexcept;
  void give_up(const std::exception& why) noexcept;
  void end(std::list<Job>::iterator job) noexcept;
  void drop(std::list<Job>::iterator job) noexcept;
  void count_prefilled(const StoredPrefix& named, int64_t taken);
  static void count_guesses(const Branch& b, EngineStatus& out);
  std::vector<Member> running_members();
  std::vector<Member> preempted_members();
  std::vector<Member> idle_branches();

  // loop_room.cpp
  void fill_slots();
  bool begin(Waiting& next);
  void take_slot(Branch& branch);
  void leave_slot(Branch& branch);
  std::optional<Member> next_branch();
  std::function<bool(const Waiting&)> ready() const;
  bool admit(Waiting& next);
  static void put_by_priority(std::list<Job>& jobs);
  void resume();
  Past past_for(const Request& request);
  void set_stops(Job& job) const;
  KvRoom room() const;
  KvRoom obtainable();
  bool give_up_some();
  void make_room_for(std::span<const Member> members);
  void make_room(const KvRoom& need);
  void make_way();
  void preempt(Branch& branch);

  // loop_prefix.cpp
  static PrefixIndex::Namespace namespace_of(const Request& request) { return {request.scope, request.reuse_generated}; }
  std::unique_ptr<PrefixCache> make_prefixes();
  static std::span<const TokenId> takeable(const Request& request);
  int64_t prefix_of(std::span<const TokenId> prompt) const { return o_.prefix ? o_.prefix(prompt) : 0; }
  void leave_conversation(int64_t slot);
  bool may_take(const Request& request, const KvSequence& kv) const;
  bool shares(const Request& request, const KvSequence& kv) const;
  bool shares(const Member& member) const;
  Past cached_past(const Request& request);
  void catch_up(const Member& member);
  bool waits_for(const Member& member, std::span<const Member> older) const;
  void thin_checkpoints(const PrefixIndex::Namespace& ns, Branch& b, int64_t at, bool made);
  void keep_pages(const Member& member);
  void leave_pages(Job& job);
  void store_prompts();
  void store_prompt(Job& job);
  void tell_stored();

  // loop_ahead.cpp
  void read_ahead();
  void read_page_ahead();
  void compute_ahead(SpeculativePrefill& one, int64_t to, Past past);

  bool moves_pages() const;
  void move_pages();
  void give_up_moves() noexcept;
  bool waits_for_disk(const Waiting& next);
  void remember(int64_t slot, const Job& job, const Branch& branch);

  void plan(std::vector<Member>& in_step, std::vector<StepItem>& items);
  void draft(std::span<const Member> members);
  void show_hidden(std::span<const Member> in_step, std::span<const StepItem> items);
  PromptLimit prompt_limit(std::span<const Member> members) const;
  void run(std::span<const Member> in_step, std::span<const StepItem> items);
  void run_alone(const Member& member, int64_t end);
  bool compute(std::span<const Member> in_step, std::span<const StepItem> items);
  void count(std::span<const Member> in_step, std::span<const StepItem> items, double seconds);
  void mark(const Member& member);
  bool reads_prompt_only(const Member& m, const StepItem& item, const Logits& logits, int64_t row);
  void sample(std::span<const Member> in_step, std::span<const StepItem> items, const Logits& logits);
  void extend_searches();  // loop_beams.cpp
  void retire(Job& job);
  void remove_ended();

  Stepper& stepper_;
  LoopOptions o_;
  Queue queue_;
  FairOrder order_;
  std::list<Job> jobs_;            // the oldest first; of an owner by priority
  std::vector<bool> taken_slots_;  // (n_parallel): taken
  Conversations conversations_;
  std::unique_ptr<PrefixCache> prefixes_;  // where prefixes are shared
  SlotRuns slots_;
  bool to_borders_ = false;  // prompts are cut at pages' borders: states are kept there
  SpeculativePrefills prefills_;
  StepCost cost_;
  double last_step_seconds_ = 0;
  EngineStatus counts_;  // its counters
};

}  // namespace skald
