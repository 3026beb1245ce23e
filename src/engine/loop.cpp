#include "engine/loop.h"

#include <algorithm>
#include <utility>

namespace skald {

Loop::Loop(Stepper& stepper, LoopOptions options)
    : stepper_(stepper),
      o_(std::move(options)),
      seats_(static_cast<size_t>(o_.n_parallel)),
      conversations_(o_.checkpoints.most),
      prefixes_(make_prefixes()),
      slots_(o_.n_parallel, prefixes_.get(), o_.limits.n_ctx),
      to_borders_(prefixes_ && stepper_.kv().spec().shares_whole()) {}

void Loop::submit(RequestId id, Request request, std::promise<Result> promise, std::optional<Guide> guide,
                  std::optional<Clock::time_point> arrived) {
  const Clock::time_point came = arrived ? *arrived : o_.now();
  if (request.read_ahead) return ahead_.push({id, std::move(request), std::move(promise), came});
  turns_.enter(request.owner);
  Waiting waiting{id, std::move(request), std::move(promise), std::move(guide), came};
  if (waiting.request.max_tokens == 0 && !waiting.request.prompt_log_probs)
    end_unrun(std::move(waiting), FinishReason::kLength);
  else
    queue_.push(std::move(waiting));
}

void Loop::cancel(RequestId id) {
  const auto running = std::ranges::find(jobs_, id, &Job::id);
  if (running != jobs_.end()) {
    running->finish(FinishReason::kCancelled, o_.now());
    ++counts_.cancelled;
    end(running);
  } else if (queue_.find(id)) {
    if (prefixes_) prefixes_->forget(id);
    end_unrun(queue_.take(id), FinishReason::kCancelled);
  } else {
    ahead_.cancel(id);
  }
}

void Loop::cancel_all() {
  while (!jobs_.empty()) cancel(jobs_.front().id());
  while (!queue_.empty()) cancel(queue_.front().id);
  ahead_.cancel_all();
  slots_.clear();
  if (prefixes_) prefixes_->end_restores();
}

// Whoever is held gives its places up, and gets others when it goes on.
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

void Loop::step() {
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
void Loop::end_unrun(Waiting w, FinishReason reason) {
  turns_.leave(w.request.owner);
  if (reason == FinishReason::kCancelled) ++counts_.cancelled;
  w.request.n = 1;
  Job job(w.id, std::move(w.request), {stepper_.new_sequence()}, nullptr, o_.limits, std::move(w.promise));
  job.queued(seconds_between(w.arrived, o_.now()));
  job.finish(reason, o_.now());
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

void Loop::restore_slot(int64_t slot, const std::string& owner, SlotImage image, std::promise<int64_t> promise) {
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

void Loop::end(std::list<Job>::iterator job) {
  for (Branch& b : job->branches()) {
    remember(*job, b);
    leave_seat(b);
  }
  retire(*job);
  turns_.leave(job->request().owner);
  jobs_.erase(job);
}

void Loop::remove_ended() {
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    const auto at = job++;
    for (Branch& b : at->branches()) {
      if (!b.done) continue;
      remember(*at, b);
      leave_seat(b);
    }
    if (at->over()) end(at);
  }
}

}  // namespace skald
