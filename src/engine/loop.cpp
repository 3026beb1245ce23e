#include "engine/loop.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/error.h"

namespace skald {
namespace {

Errc code_of(const std::exception& e) {
  const auto* error = dynamic_cast<const Error*>(&e);
  if (error) return error->code();
  return dynamic_cast<const std::bad_alloc*>(&e) ? Errc::kNoMemory : Errc::kInternal;
}

StepItem item_of(Branch& b, int64_t tokens) {
  return {&b.kv, b.pending().first(static_cast<size_t>(tokens)), b.outputs(tokens), b.generates()};
}

}  // namespace

Loop::Loop(Stepper& stepper, LoopOptions options)
    : stepper_(stepper), o_(std::move(options)), conversations_(o_.checkpoints.most) {}

void Loop::submit(RequestId id, Request request, std::promise<Result> promise, std::optional<Guide> guide) {
  Waiting waiting{id, std::move(request), std::move(promise), std::move(guide)};
  if (waiting.request.max_tokens == 0)
    end_unrun(waiting, FinishReason::kLength);
  else
    waiting_.push_back(std::move(waiting));
}

void Loop::cancel(RequestId id) {
  const auto running = std::ranges::find(jobs_, id, &Job::id);
  if (running != jobs_.end()) {
    running->finish(FinishReason::kCancelled, o_.now());
    retire(*running);
    jobs_.erase(running);
  }
  const auto queued = std::ranges::find(waiting_, id, &Waiting::id);
  if (queued == waiting_.end()) return;
  end_unrun(*queued, FinishReason::kCancelled);
  waiting_.erase(queued);
}

void Loop::cancel_all() {
  for (Job& job : jobs_) job.finish(FinishReason::kCancelled, o_.now());
  jobs_.clear();
  for (Waiting& waiting : waiting_) end_unrun(waiting, FinishReason::kCancelled);
  waiting_.clear();
}

int64_t Loop::paused() const {
  int64_t n = 0;
  for (const Job& job : jobs_)
    n += std::ranges::count_if(job.branches(), [](const Branch& b) { return b.paused() && !b.done; });
  return n;
}

void Loop::step() {
  resume();
  admit();
  std::vector<Member> in_step;
  std::vector<StepItem> items;
  plan(in_step, items);
  if (items.empty())
    make_way();
  else
    run(in_step, items);
  remove_ended();
}

// Ends a request that never ran.
void Loop::end_unrun(Waiting& w, FinishReason reason) {
  w.request.n = 1;
  Job(w.id, std::move(w.request), {stepper_.new_sequence()}, nullptr, o_.limits, std::move(w.promise))
      .finish(reason, o_.now());
}

// Those that have not ended, the oldest first.
std::vector<Loop::Member> Loop::members(bool paused) {
  std::vector<Member> all;
  for (Job& job : jobs_)
    for (Branch& branch : job.branches())
      if (!branch.done && branch.paused() == paused) all.push_back({&job, &branch});
  return all;
}

void Loop::plan(std::vector<Member>& in_step, std::vector<StepItem>& items) {
  const std::vector<Member> all = members(/*paused=*/false);
  make_room_for(all);
  std::vector<BranchLoad> loads;
  for (const Member& m : all) {
    Branch& b = *m.branch;
    m.job->make_room(b);
    if (o_.draft && b.generates() && b.pending().size() == 1) b.draft(o_.draft(b.tokens()));
    loads.push_back({.tokens = b.until_stop(),
                     .at_once = b.at_once(),
                     .need = [&b](int64_t tokens) { return b.kv.need(b.kv.length() + tokens); },
                     .owned = [&b] { return b.kv.owned(); }});
  }
  const StepPlan plan = schedule(loads, stepper_.room(), o_.rows);
  for (const size_t i : plan.preempted) all[i].branch->pause();
  for (const StepShare& share : plan.shares) {
    const Member& m = all[share.branch];
    m.job->started(o_.now());
    in_step.push_back(m);
    items.push_back(item_of(*m.branch, share.tokens));
  }
}

// A step that fails is computed again, each branch by itself: whoever fails alone ends with the error.
void Loop::run(std::span<const Member> in_step, std::span<const StepItem> items) {
  if (compute(in_step, items) || items.size() == 1) return;
  for (size_t i = 0; i < in_step.size(); ++i) {
    const Member& m = in_step[i];
    if (m.branch->done) continue;
    // As much as there was room for.
    const StepItem alone = item_of(*m.branch, std::min(std::ssize(m.branch->pending()), std::ssize(items[i].tokens)));
    compute({&m, 1}, {&alone, 1});
  }
}

bool Loop::compute(std::span<const Member> in_step, std::span<const StepItem> items) {
  try {
    const Logits logits = stepper_.run(items);
    if (o_.computed) o_.computed();
    for (const Member& m : in_step)
      if (m.branch->tokens().size() == static_cast<size_t>(m.branch->n_prompt())) m.job->prompt_read();
    for (const Member& m : in_step) mark(m);
    sample(in_step, items, logits);
    return true;
  } catch (const std::exception& e) {
    for (const Member& m : in_step) m.branch->recover();
    if (items.size() == 1 && !in_step[0].job->over())
      in_step[0].job->finish(FinishReason::kError, o_.now(), e.what(), code_of(e));
    return false;
  }
}

// What a conversation may come back to.
void Loop::mark(const Member& m) {
  const Branch& b = *m.branch;
  if (!m.job->conversation() || b.kv.length() > b.n_prompt() || !b.is_at_stop()) return;
  conversations_.mark(m.job->conversation(), b.kv, std::min(b.exact(), b.kv.length()),
                      b.tokens().first(static_cast<size_t>(b.kv.length())));
}

// All branches pick at the same time; what follows of it is told in order.
void Loop::sample(std::span<const Member> in_step, std::span<const StepItem> items, const Logits& logits) {
  struct Pick {
    Member member;
    int64_t row;
    std::vector<Branch::Picked> tokens = {};
    std::string error = {};  // of the sampler: ends the job
    std::optional<Errc> code = {};
  };
  std::vector<Pick> picks;
  int64_t row = 0;
  for (size_t i = 0; i < in_step.size(); row += items[i++].n_outputs) {
    const Member& m = in_step[i];
    if (!items[i].n_outputs) continue;
    const bool splits = m.job->n() > std::ssize(m.job->branches());
    if (splits) m.job->split();
    for (Branch& branch : m.job->branches())
      if (&branch == m.branch || splits) picks.push_back({{m.job, &branch}, row});
  }
  const auto pick = [&](int64_t i) {
    Pick& p = picks[static_cast<size_t>(i)];
    try {
      p.tokens = p.member.branch->pick(logits, p.row);
    } catch (const std::exception& e) {
      p.error = e.what();
      p.code = code_of(e);
    }
  };
  if (o_.share)
    o_.share(std::ssize(picks), pick);
  else
    for (int64_t i = 0; i < std::ssize(picks); ++i) pick(i);
  for (const Pick& p : picks) {
    if (p.member.job->over()) continue;
    if (p.code) {
      p.member.job->finish(FinishReason::kError, o_.now(), p.error, p.code);
      continue;
    }
    for (const Branch::Picked& picked : p.tokens)
      if (!p.member.job->next(*p.member.branch, picked, o_.now())) break;
    if (!p.member.branch->done) p.member.branch->forget_wrong_drafts();
  }
}

// What a conversation has computed is kept for its next request.
void Loop::retire(Job& job) {
  if (!job.conversation()) return;
  Branch& branch = job.first();
  conversations_.keep(job.conversation(), branch.past(), branch.tokens());
}

void Loop::remove_ended() {
  for (Job& job : jobs_)
    if (job.over()) retire(job);
  std::erase_if(jobs_, [](const Job& job) { return job.over(); });
}

}  // namespace skald
