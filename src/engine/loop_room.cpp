// Who has room in the KV cache: who begins, goes on, or gives up pages.
#include <algorithm>
#include <utility>

#include "engine/loop.h"
#include "engine/mark_points.h"

namespace skald {

// Whoever waits for pages goes before whoever waits to begin.
void Loop::admit() {
  if (waiting_.empty() || paused()) return;
  int64_t places = o_.n_parallel;
  for (const Job& job : jobs_) places -= job.n();
  KvRoom room = stepper_.room();
  while (!waiting_.empty() && waiting_.front().request.n <= places) {
    Waiting& next = waiting_.front();
    Past past = past_for(next.request);
    const KvRoom need = past.kv.need(std::ssize(next.request.prompt));
    while (!room.covers(need) && conversations_.give_up_some()) room = stepper_.room();
    // Whoever runs alone is never told to wait.
    if (!jobs_.empty() && !room.covers(need)) {
      const std::span<const TokenId> taken = std::span(next.request.prompt).first(static_cast<size_t>(past.kv.length()));
      if (!taken.empty()) conversations_.keep(next.request.conversation, std::move(past), taken);
      return;
    }
    room -= need;
    places -= next.request.n;
    jobs_.emplace_back(next.id, std::move(next.request), std::move(past), o_.tokenizer, o_.limits, std::move(next.promise),
                       std::move(next.guide));
    set_stops(jobs_.back());
    waiting_.pop_front();
  }
}

// Only a sequence that forgets has places to come back to.
void Loop::set_stops(Job& job) const {
  Branch& b = job.first();
  if (!job.conversation() || !b.kv.forgets()) return;
  b.stop_at(mark_points(b.tokens(), b.kv.length(), o_.checkpoints, o_.ends_message));
}

// What the conversation has of it, or nothing. A prefix that is seen in both directions is always computed.
Past Loop::past_for(const Request& request) {
  const int64_t prefix = o_.prefix ? o_.prefix(request.prompt) : 0;
  if (request.conversation && !prefix)
    if (std::optional<Past> past = conversations_.take(request.conversation, request.prompt, request.reuse_generated))
      return std::move(*past);
  Past past{stepper_.new_sequence()};
  if (prefix) past.kv.set_prefix(prefix);
  return past;
}

// The oldest first; when all are paused it goes on in any case.
void Loop::resume() {
  const std::vector<Member> waiting = members(/*paused=*/true);
  if (waiting.empty()) return;
  bool alone = members(/*paused=*/false).empty();
  KvRoom room = stepper_.room();
  for (const Member& m : waiting) {
    const KvRoom need = m.branch->need_to_resume();
    if (!(room.covers(need) || alone) || !m.branch->resume()) return;
    room -= need;
    alone = false;
  }
}

// Nobody who runs waits for what is only kept.
void Loop::make_room_for(std::span<const Member> members) {
  if (conversations_.empty()) return;
  KvRoom need;
  for (const Member& m : members)
    need += m.branch->kv.need(m.branch->kv.length() + std::min(std::ssize(m.branch->pending()), o_.rows));
  while (!stepper_.room().covers(need) && conversations_.give_up_some()) {
  }
}

// Nothing fits as it is. Branches that share pages own few by themselves: the youngest gives up its own until somebody fits,
// or is alone and never will.
void Loop::make_way() {
  const std::vector<Member> all = members(/*paused=*/false);
  if (all.size() > 1) return all.back().branch->pause();
  if (all.size() == 1)
    all.front().job->finish(FinishReason::kError, o_.now(), "the KV cache is full, and nothing else holds any of it",
                            Errc::kNoMemory);
}

}  // namespace skald
