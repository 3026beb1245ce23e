#include "engine/loop.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "engine/error_code.h"

namespace skald {

Loop::Loop(Stepper& stepper, LoopOptions options)
    : stepper_(stepper),
      o_(std::move(options)),
      seats_(static_cast<size_t>(o_.n_parallel)),
      conversations_(o_.checkpoints.most),
      prefixes_(make_prefixes()),
      slots_(o_.n_parallel, prefixes_.get(), o_.limits.n_ctx),
      to_borders_(prefixes_ && stepper_.kv().spec().shares_whole()) {}

void Loop::submit(RequestId id, Request request, KeptPromise<Result> promise, std::unique_ptr<Guide> guide,
                  std::optional<Clock::time_point> arrived) noexcept {
  const Clock::time_point came = arrived ? *arrived : o_.now();
  if (request.read_ahead) {
    ReadAhead one{id, std::move(request), std::move(promise), came};
    try {
      return ahead_.push(std::move(one));
    } catch (const std::exception& e) {
      return one.finish(FinishReason::kError, e.what(), code_of(e));
    }
  }
  Waiting waiting{id, std::move(request), std::move(promise), std::move(guide), came};
  bool entered = false;
  try {
    turns_.enter(waiting.request.owner);
    entered = true;
    if (waiting.request.max_tokens == 0 && !waiting.request.prompt_log_probs)
      end_unrun(waiting, FinishReason::kLength);
    else
      queue_.push(std::move(waiting));
  } catch (const std::exception& e) {
    if (entered) turns_.leave(waiting.request.owner);
    waiting.finish(o_.now(), FinishReason::kError, e.what(), code_of(e));
  }
}

void Loop::cancel(RequestId id) {
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
    ahead_.cancel(id);
  }
}

void Loop::cancel_all() {
  while (!jobs_.empty()) cancel(jobs_.front().id());
  while (!queue_.empty()) cancel(queue_.front().id);
  ahead_.cancel_all();
  give_up_moves();
}

// A held request gives its slots up, and gets others when it goes on.
void Loop::hold(RequestId id, bool held) {
  if (Waiting* waiting = queue_.find(id)) waiting->held = held;
  const auto job = std::ranges::find(jobs_, id, &Job::id);
  if (job == jobs_.end()) return;
  job->held = held;
  if (held)
    for (Branch& b : job->branches()) leave_seat(b);
}

bool Loop::has_work() const {
  return moves_pages() || !ahead_.empty() || std::ranges::any_of(queue_.all(), ready()) ||
         std::ranges::any_of(jobs_, [](const Job& job) { return !job.held; });
}

void Loop::step() noexcept {
  try {
    take_step();
  } catch (const std::exception& e) {
    log_failure("a step of the engine");
    give_up(e);
  }
}

void Loop::take_step() {
  ahead_.cancel_old(o_.now());
  move_pages();
  resume();
  seat();
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
  remove_ended();
}

// Ends a request that never ran.
void Loop::end_unrun(Waiting& w, FinishReason reason) noexcept {
  turns_.leave(w.request.owner);
  if (reason == FinishReason::kCancelled) ++counts_.cancelled;
  w.finish(o_.now(), reason);
}

// What a request needs to go on is missing.
void Loop::end_failed(RequestId id, const std::exception& why) noexcept {
  const auto job = std::ranges::find(jobs_, id, &Job::id);
  if (job != jobs_.end()) {
    job->fail(why, o_.now());
    return drop(job);
  }
  if (prefixes_) prefixes_->forget(id);
  if (!queue_.find(id)) return;
  Waiting waiting = queue_.take(id);
  turns_.leave(waiting.request.owner);
  waiting.finish(o_.now(), FinishReason::kError, why.what(), code_of(why));
}

// Whose fault it was is not known: each step that fails ends something, so that the loop goes on.
void Loop::give_up(const std::exception& why) noexcept {
  bool ran = false;
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    const auto at = job++;
    if (at->held && !at->over()) continue;
    ran = true;
    at->fail(why, o_.now());
    drop(at);
  }
  if (ran) return;
  if (Waiting* const next = queue_.next(turns_, ready())) return end_failed(next->id, why);
  ahead_.cancel_all();
  give_up_moves();
}

void Loop::give_up_moves() noexcept {
  slots_.give_up();
  if (prefixes_) prefixes_->give_up_moves();
}

bool Loop::moves_pages() const { return slots_.has_work() || (prefixes_ && prefixes_->has_work()); }

// Copies between cache and buffers take a small part of the time.
void Loop::move_pages() {
  constexpr double kLeastSeconds = 2e-3, kShare = 0.05;  // between two steps; of a step
  if (!prefixes_) return;
  const double seconds = std::max(kLeastSeconds, kShare * last_step_seconds_);
  const Clock::time_point end =
      o_.now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const auto is_over = [&] { return o_.now() > end; };
  prefixes_->move(is_over);
  slots_.move(is_over);
}

void Loop::flush() {
  if (prefixes_) prefixes_->write([] { return false; });
}

void Loop::restore_slot(int64_t slot, const std::string& owner, SlotImage image, KeptPromise<int64_t> promise) {
  slots_.restore(slot, owner, std::move(image), std::move(promise),
                 [this](const KvRoom& need) { return obtainable().covers(need); });
}

// A slot remembers its last text.
void Loop::remember(const Job& job, const Branch& branch) {
  if (!branch.seated()) return;
  slots_.remember(branch.seat, {.space = space_of(job.request()),
                                .tokens = {branch.tokens().begin(), branch.tokens().end()},
                                .n_prompt = branch.n_prompt(),
                                .n_cached = job.n_cached()});
}

// What a conversation has computed is kept for its next request.
void Loop::retire(Job& job) {
  leave_pages(job);
  if (!job.conversation()) return;
  Branch& branch = job.first();
  conversations_.keep(job.conversation(), branch.past(), branch.tokens());
}

void Loop::end(std::list<Job>::iterator job) noexcept {
  guarded("the pages that a request leaves", [&] {
    for (const Branch& b : job->branches()) remember(*job, b);
    retire(*job);
  });
  drop(job);
}

void Loop::drop(std::list<Job>::iterator job) noexcept {
  for (Branch& b : job->branches()) leave_seat(b);
  turns_.leave(job->request().owner);
  jobs_.erase(job);
}

void Loop::remove_ended() {
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    const auto at = job++;
    for (Branch& b : at->branches()) {
      if (!b.done || !b.seated()) continue;
      guarded("the last text of a slot", [&] { remember(*at, b); });
      leave_seat(b);
    }
    if (at->over()) end(at);
  }
}

}  // namespace skald
