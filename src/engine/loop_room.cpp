// Slots and room in the KV cache: which branches begin, go on, or give up pages.
#include <algorithm>
#include <exception>
#include <utility>

#include "base/guarded.h"
#include "engine/loop.h"
#include "engine/mark_points.h"

namespace skald {

void EngineLoop::take_slot(Branch& branch) {
  const auto free = std::ranges::find(taken_slots_, false);
  *free = true;
  branch.slot = free - taken_slots_.begin();
}

void EngineLoop::leave_slot(Branch& branch) {
  if (branch.has_slot()) taken_slots_[static_cast<size_t>(std::exchange(branch.slot, Branch::kNoSlot))] = false;
}

// Branches that wait for pages go before branches that wait for a slot.
void EngineLoop::fill_slots() {
  while (std::ranges::find(taken_slots_, false) != taken_slots_.end() && preempted_members().empty()) {
    const std::optional<Member> branch = next_branch();
    Waiting* const request = queue_.next(order_, ready());
    const auto claim_of = [&](const Job& job) { return order_.claim(job.request(), job.id()); };
    if (request && (!branch || order_.claim(request->request, request->id) < claim_of(*branch->job))) {
      if (!begin(*request)) return;
    } else if (branch) {
      take_slot(*branch->branch);
      order_.take(branch->job->request().owner);
    } else {
      return;
    }
  }
}

// Requests that are neither held nor wait for pages from the disk.
std::function<bool(const Waiting&)> EngineLoop::ready() const {
  return [this](const Waiting& w) { return !w.held && !(prefixes_ && prefixes_->waits(w.id)); };
}

// False where it must wait for pages.
bool EngineLoop::begin(Waiting& next) {
  const RequestId id = next.id;
  try {
    return waits_for_disk(next) || admit(next);
  } catch (const std::exception& e) {
    log_failure("the beginning of a request");
    end_failed(id, e);
    return true;
  }
}

// Of those that have begun and have no place, the one whose turn it is.
std::optional<EngineLoop::Member> EngineLoop::next_branch() {
  std::optional<Member> best;
  std::optional<FairOrder::Claim> least;
  for (Job& job : jobs_) {
    if (job.held) continue;
    const auto branch =
        std::ranges::find_if(job.branches(), [](const Branch& b) { return !b.done && !b.has_slot() && !b.waits(); });
    if (branch == job.branches().end()) continue;
    const FairOrder::Claim claim = order_.claim(job.request(), job.id());
    if (least && *least < claim) continue;
    least = claim;
    best = Member{&job, &*branch};
  }
  return best;
}

// The last job goes to the place that it has among its owner's; other owners' jobs stay where they are.
void EngineLoop::put_by_priority(std::list<Job>& jobs) {
  auto last = std::prev(jobs.end());
  for (auto job = last; job != jobs.begin();) {
    --job;
    if (job->request().owner != last->request().owner || job->request().priority <= last->request().priority) continue;
    const auto after = std::next(last);
    jobs.splice(job, jobs, last);
    jobs.splice(after, jobs, job);
    job = last;
  }
}

// False where it must wait for pages.
bool EngineLoop::admit(Waiting& next) {
  Past past = past_for(next.request);
  const KvRoom need = past.kv.need(std::ssize(next.request.prompt));
  while (!obtainable().covers(need) && conversations_.give_up_some()) {
  }
  // A request that runs alone is never told to wait.
  if (!running_members().empty() && !obtainable().covers(need)) {
    const std::span<const TokenId> taken = std::span(next.request.prompt).first(static_cast<size_t>(past.kv.length()));
    if (next.request.conversation && !taken.empty()) conversations_.keep(next.request.conversation, std::move(past), taken);
    return false;
  }
  // The request moves when there is memory for its job, and not before.
  std::list<Job> made;
  Job& job = made.emplace_back(next.id, std::move(next.request), std::move(past), o_.tokenizer, o_.limits,
                               std::move(next.promise), std::move(next.grammar));
  const Waiting w = queue_.take(next.id);
  if (job.over()) {
    order_.leave(job.request().owner);
    return true;
  }
  jobs_.splice(jobs_.end(), made);
  put_by_priority(jobs_);
  order_.take(job.request().owner);
  take_slot(job.first());
  set_stops(job);
  if (o_.sparq.measures()) job.first().pilot.emplace(o_.sparq);
  job.keeps_past = !job.ranks() && shareable(job.request()) == std::ssize(job.request().prompt) &&
                   (job.conversation() || (shares({&job, &job.first()}) && job.request().reuse_generated));
  counts_.cached_tokens += job.first().kv.length();
  count_prefilled(job.request().prefilled, job.first().kv.length());
  if (prefixes_) counts_.disk_tokens += std::min(prefixes_->forget(job.id()), job.first().kv.length());
  job.queued(seconds_between(w.arrived, o_.now()));
  job.admitted();
  return true;
}

// Only a sequence that forgets has places to come back to. Windows of shared prompts are kept wherever a step ends.
void EngineLoop::set_stops(Job& job) const {
  Branch& b = job.first();
  if (shares({&job, &b}) && b.kv.shares_whole())
    b.stop_at(state_points(b.tokens(), b.kv.length(), o_.ends_message));
  else if (job.conversation() && b.kv.forgets())
    b.stop_at(mark_points(b.tokens(), b.kv.length(), o_.checkpoints, o_.ends_message));
}

// The prefix that its conversation or earlier requests have of it, or nothing. A prefix that is seen in both directions is
// always computed.
Past EngineLoop::past_for(const Request& request) {
  const int64_t prefix = prefix_of(request.prompt);
  if (request.conversation) conversations_.enter(request.conversation, request.scope);
  if (request.conversation && !prefix)
    if (std::optional<Past> past = conversations_.take(request.conversation, request.prompt, request.reuse_generated))
      return std::move(*past);
  Past past{stepper_.new_sequence()};
  if (prefix) past.kv.set_prefix(prefix);
  if (may_take(request, past.kv)) return cached_past(request);
  return past;
}

// The room that a new request can get: free and evictable pages, and those of idle branches; less the need of prompts that
// are being read.
KvRoom EngineLoop::obtainable() {
  KvRoom all = room();
  for (const Member& m : idle_branches()) all += m.branch->kv.owned();
  for (const Member& m : running_members())
    if (!m.branch->generates()) all -= m.branch->kv.need(m.branch->n_prompt());
  return all;
}

// Free and evictable pages.
KvRoom EngineLoop::room() const {
  KvRoom all = stepper_.room();
  if (prefixes_) all += prefixes_->reclaimable();
  return all;
}

// The oldest first; when all are paused it goes on in any case.
void EngineLoop::resume() {
  const std::vector<Member> waiting = preempted_members();
  if (waiting.empty()) return;
  bool alone = running_members().empty();
  KvRoom left = room();
  for (const Member& m : waiting) {
    const KvRoom need = m.branch->need_to_resume();
    if (!left.covers(need) && !alone) return;
    make_room(need);
    while (alone && !stepper_.room().covers(need) && give_up_some()) {
    }
    try {
      if (!m.branch->resume()) return;
    } catch (const std::exception& e) {
      m.job->fail(e, o_.now());
      continue;
    }
    left -= need;
    alone = false;
  }
}

// Pages that no running branch computes with go to those that wait. False when there are none.
bool EngineLoop::give_up_some() {
  if (conversations_.give_up_some() || (prefixes_ && prefixes_->give_up_restore())) return true;
  const std::vector<Member> idle = idle_branches();
  if (idle.empty()) return false;
  preempt(*idle.back().branch);
  return true;
}

// No running branch waits for pages that are only kept.
void EngineLoop::make_room_for(std::span<const Member> members) {
  if (conversations_.empty()) return;
  KvRoom need;
  for (const Member& m : members)
    need += m.branch->kv.need(m.branch->kv.length() + std::min(std::ssize(m.branch->pending()), o_.rows));
  while (!stepper_.room().covers(need) && conversations_.give_up_some()) {
  }
}

// Evicts pages.
void EngineLoop::make_room(const KvRoom& need) {
  if (prefixes_) prefixes_->make_room(need);
}

// Nothing fits as it is. Branches that share pages own few by themselves: the youngest gives up its own until one fits,
// or is alone and never will.
void EngineLoop::make_way() {
  const std::vector<Member> all = running_members();
  if (all.empty() || give_up_some()) return;
  if (all.size() > 1) return preempt(*all.back().branch);
  all.front().job->finish(FinishReason::kError, o_.now(), "the KV cache is full, and nothing else holds any of it",
                          Errc::kNoMemory);
}

void EngineLoop::preempt(Branch& branch) {
  branch.pause();
  prefills_.cancel_all();
  ++counts_.preemptions;
}

}  // namespace skald
