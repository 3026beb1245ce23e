// The members of a step, and the engine's status of them.
#include <algorithm>

#include "engine/loop.h"

namespace skald {
namespace {

EngineStatus::Pages pages_of(const KvCache& cache) {
  EngineStatus::Pages out{.page_tokens = kPageKeys};
  const std::optional<size_t> group = cache.widest();
  if (!group) return out;
  const PagePool& pool = cache.pool(*group);
  out.page_bytes = pool.page_bytes();
  out.total = pool.max_pages();
  out.free = pool.available();
  out.cached = pool.kept();
  out.active = out.total - out.free - out.cached;
  return out;
}

EngineStatus::Slot slot_of(const Job& job, const Branch& b, const KvCache& cache) {
  using State = EngineStatus::Slot::State;
  const std::optional<size_t> group = cache.widest();
  return {.state = b.paused()      ? State::kPaused
                   : b.generates() ? State::kDecode
                                   : State::kPrefill,
          .request = job.id(),
          .n_prompt = b.n_prompt(),
          .n_cached = job.n_cached(),
          .n_decoded = std::ssize(b.text.tokens),
          .pages = group ? b.kv.pages(*group) : 0};
}

}  // namespace

// Those with a place and their pages, in the order of their jobs. A text that waits for others of its beam search has
// nothing to compute.
std::vector<EngineLoop::Member> EngineLoop::running_members() {
  std::vector<Member> out;
  for (Job& job : jobs_)
    for (Branch& b : job.branches())
      if (!b.done && b.has_slot() && !b.paused() && !b.waits()) out.push_back({&job, &b});
  return out;
}

// Those with a place that wait for pages.
std::vector<EngineLoop::Member> EngineLoop::preempted_members() {
  std::vector<Member> out;
  for (Job& job : jobs_)
    for (Branch& b : job.branches())
      if (!b.done && b.has_slot() && b.paused() && !b.waits()) out.push_back({&job, &b});
  return out;
}

// Those with pages and nothing to compute in their place, or none; held ones last.
std::vector<EngineLoop::Member> EngineLoop::idle_branches() {
  std::vector<Member> out;
  for (const bool held : {false, true})
    for (Job& job : jobs_)
      for (Branch& b : job.branches())
        if (job.held == held && !b.done && (!b.has_slot() || b.waits()) && !b.paused() && b.kv.length() > 0)
          out.push_back({&job, &b});
  return out;
}

int64_t EngineLoop::paused() const {
  int64_t n = 0;
  for (const Job& job : jobs_)
    n += std::ranges::count_if(job.branches(), [](const Branch& b) { return b.paused() && !b.done; });
  return n;
}

EngineStatus EngineLoop::status() const {
  EngineStatus out;
  status(out);
  return out;
}

void EngineLoop::status(EngineStatus& out) const {
  out = counts_;
  out.waiting = waiting();
  out.running = running();
  out.prefix_evictions = prefixes_ ? prefixes_->evictions() : 0;
  out.pages = pages_of(stepper_.kv());
  out.sparq = stepper_.sparq_use();
  out.unwritten_pages = prefixes_ ? prefixes_->unwritten() : 0;
  for (const SlotRuns::Run& run : slots_.all())
    out.slots.push_back(
        {.n_prompt = run.n_prompt, .n_cached = run.n_cached, .n_decoded = std::ssize(run.tokens) - run.n_prompt});
  for (const Job& job : jobs_)
    for (const Branch& b : job.branches()) {
      out.paused += !b.done && (job.held || b.paused());
      count_guesses(b, out);
      if (b.has_slot()) out.slots[static_cast<size_t>(b.slot)] = slot_of(job, b, stepper_.kv());
    }
}

}  // namespace skald
