#include "engine/loop.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "engine/error_code.h"

namespace skald {

EngineLoop::EngineLoop(Stepper& stepper, LoopOptions options)
    : stepper_(stepper),
      o_(std::move(options)),
      taken_slots_(static_cast<size_t>(o_.n_parallel)),
      conversations_(o_.checkpoints.most),
      prefixes_(make_prefixes()),
      slots_(o_.n_parallel, prefixes_.get(), o_.limits.n_ctx),
      to_borders_(prefixes_ && stepper_.kv().spec().shares_whole()) {}

void EngineLoop::submit(RequestId id, Request request, KeptPromise<Result> promise, std::unique_ptr<GrammarCursor> grammar,
                        std::optional<Clock::time_point> arrived) noexcept {
  const Clock::time_point came = arrived ? *arrived : o_.now();
  if (request.read_ahead) {
    SpeculativePrefill one{id, std::move(request), std::move(promise), came};
    try {
      return prefills_.push(std::move(one));
    } catch (const std::exception& e) {
      return one.finish(FinishReason::kError, e.what(), code_of(e));
    }
  }
  Waiting waiting{id, std::move(request), std::move(promise), std::move(grammar), came};
  bool entered = false;
  try {
    order_.enter(waiting.request.owner);
    entered = true;
    if (waiting.request.max_tokens == 0 && !waiting.request.prompt_log_probs)
      end_unrun(waiting, FinishReason::kLength);
    else
      queue_.push(std::move(waiting));
  } catch (const std::exception& e) {
    if (entered) order_.leave(waiting.request.owner);
    waiting.finish(o_.now(), FinishReason::kError, e.what(), code_of(e));
  }
}

void EngineLoop::cancel(RequestId id) {
  const auto running = std::ranges::find(jobs_, id, &Job::id);
  if (running != jobs_.end()) {
    running->finish(FinishReason::kCancelled, o_.now());
    ++counts_.cancelled;
    end(running);
  } else if (queue_.find(id)) {
    if (prefixes_) prefixes_->forget(id);
    Waiting waiting = queue_.take(id);
    end_unrun(waiting, FinishReason::kCancelled);
  } else {
    prefills_.cancel(id);
  }
}

void EngineLoop::cancel_all() {
  while (!jobs_.empty()) cancel(jobs_.front().id());
  while (!queue_.empty()) cancel(queue_.front().id);
  prefills_.cancel_all();
  give_up_moves();
}

// A held request gives its slots up, and gets others when it goes on.
void EngineLoop::hold(RequestId id, bool held) {
  if (Waiting* waiting = queue_.find(id)) waiting->held = held;
  const auto job = std::ranges::find(jobs_, id, &Job::id);
  if (job == jobs_.end() || job->stores) return;
  job->held = held;
  if (held)
    for (Branch& b : job->branches()) leave_slot(b);
}

bool EngineLoop::has_work() const {
  return moves_pages() || !prefills_.empty() || std::ranges::any_of(queue_.all(), ready()) ||
         std::ranges::any_of(jobs_, [](const Job& job) { return !job.held; });
}

void EngineLoop::step() noexcept {
  try {
    take_step();
  } catch (const std::exception& e) {
    log_failure("a step of the engine");
    give_up(e);
  }
}

void EngineLoop::take_step() {
  prefills_.cancel_old(o_.now());
  move_pages();
  resume();
  fill_slots();
  guarded("the turns of waiting requests", [&] { queue_.tell_turns(order_); });
  std::vector<Member> in_step;
  std::vector<StepItem> items;
  plan(in_step, items);
  if (o_.planned) o_.planned();
  if (!items.empty())
    run(in_step, items);
  else if (running_members().empty() && preempted_members().empty())
    read_ahead();
  else
    make_way();
  extend_searches();
  store_prompts();
  remove_ended();
}

// Ends a request that never ran.
void EngineLoop::end_unrun(Waiting& w, FinishReason reason) noexcept {
  order_.leave(w.request.owner);
  if (reason == FinishReason::kCancelled) ++counts_.cancelled;
  w.finish(o_.now(), reason);
}

// Called when there is no memory for a request to go on.
void EngineLoop::end_failed(RequestId id, const std::exception& why) noexcept {
  const auto job = std::ranges::find(jobs_, id, &Job::id);
  if (job != jobs_.end()) {
    job->fail(why, o_.now());
    return drop(job);
  }
  if (prefixes_) prefixes_->forget(id);
  if (!queue_.find(id)) return;
  Waiting waiting = queue_.take(id);
  order_.leave(waiting.request.owner);
  waiting.finish(o_.now(), FinishReason::kError, why.what(), code_of(why));
}

// Whose fault it was is not known: each step that fails ends something, so that the loop goes on.
void EngineLoop::give_up(const std::exception& why) noexcept {
  bool ran = false;
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    const auto at = job++;
    if (at->held && !at->over()) continue;
    ran = true;
    at->fail(why, o_.now());
    drop(at);
  }
  if (ran) return;
  if (Waiting* const next = queue_.next(order_, ready())) return end_failed(next->id, why);
  prefills_.cancel_all();
  give_up_moves();
}

void EngineLoop::give_up_moves() noexcept {
  slots_.give_up();
  if (prefixes_) prefixes_->give_up_moves();
}

bool EngineLoop::moves_pages() const { return slots_.has_work() || (prefixes_ && prefixes_->has_work()); }

// Copies between cache and buffers take a small part of the time.
void EngineLoop::move_pages() {
  constexpr double kLeastSeconds = 2e-3, kShare = 0.05;  // between two steps; of a step
  if (!prefixes_) return;
  const double seconds = std::max(kLeastSeconds, kShare * last_step_seconds_);
  const Clock::time_point end =
      o_.now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const auto is_over = [&] { return o_.now() > end; };
  prefixes_->move(is_over);
  slots_.move(is_over);
  tell_stored();
}

void EngineLoop::flush() {
  if (prefixes_) prefixes_->write([] { return false; });
}

void EngineLoop::restore_slot(int64_t slot, const std::string& owner, SlotImage image, KeptPromise<int64_t> promise) {
  slots_.restore(slot, owner, std::move(image), std::move(promise),
                 [this](const KvRoom& need) { return obtainable().covers(need); });
}

// A slot remembers its last text.
void EngineLoop::remember(int64_t slot, const Job& job, const Branch& branch) {
  slots_.remember(slot, {.ns = namespace_of(job.request()),
                         .conversation = job.conversation(),
                         .tokens = {branch.tokens().begin(), branch.tokens().end()},
                         .n_prompt = branch.n_prompt(),
                         .n_cached = job.n_cached()});
}

// A conversation's sequence is kept for its next request.
void EngineLoop::retire(Job& job) {
  leave_pages(job);
  if (!job.conversation()) return;
  Branch& branch = job.first();
  conversations_.keep(job.conversation(), branch.past(), branch.tokens());
}

void EngineLoop::end(std::list<Job>::iterator job) noexcept {
  guarded("the pages that a request leaves", [&] {
    for (const Branch& b : job->branches()) {
      if (b.has_slot()) remember(b.slot, *job, b);
      if (o_.drafts) o_.drafts->ended(job->request(), b.tokens().subspan(static_cast<size_t>(b.n_prompt())));
    }
    retire(*job);
  });
  drop(job);
}

void EngineLoop::count_guesses(const Branch& b, EngineStatus& out) {
  out.guessed_tokens += b.draft_use.guessed;
  out.right_guesses += b.draft_use.right;
}

void EngineLoop::drop(std::list<Job>::iterator job) noexcept {
  for (Branch& b : job->branches()) {
    leave_slot(b);
    count_guesses(b, counts_);
  }
  if (job->stores) prefixes_->forget_stored(job->id());
  order_.leave(job->request().owner);
  jobs_.erase(job);
}

void EngineLoop::remove_ended() {
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    const auto at = job++;
    for (Branch& b : at->branches()) {
      if (!b.done || !b.has_slot()) continue;
      guarded("the last text of a slot", [&] { remember(b.slot, *at, b); });
      leave_slot(b);
    }
    if (at->over()) end(at);
  }
}

}  // namespace skald
