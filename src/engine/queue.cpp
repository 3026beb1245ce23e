#include "engine/queue.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "engine/ending.h"

namespace skald {

void Waiting::finish(Clock::time_point now, FinishReason reason, std::string_view error, std::optional<Errc> code) noexcept {
  finish_unrun(id, request, promise, {.queue_seconds = seconds_between(arrived, now)}, reason, error, code);
}

void Turns::enter(const std::string& scope) {
  const auto [at, is_new] = scopes_.try_emplace(scope, Scope{now_ - 1, 0});
  ++at->second.requests;
}

void Turns::leave(const std::string& scope) {
  const auto at = scopes_.find(scope);
  SKALD_ASSERT(at != scopes_.end());
  if (--at->second.requests == 0) scopes_.erase(at);
}

void Turns::take(const std::string& scope) { scopes_.at(scope).last_turn = now_ += 2; }

Turns::Claim Turns::claim(const Request& request, RequestId id) const {
  return {request.priority, scopes_.at(request.scope).last_turn, id};
}

Waiting* Queue::next(const Turns& turns) {
  Waiting* best = nullptr;
  std::optional<Turns::Claim> least;
  for (Waiting& w : all_) {
    if (!w.is_ready()) continue;
    const Turns::Claim claim = turns.claim(w.request, w.id);
    if (least && *least < claim) continue;
    least = claim;
    best = &w;
  }
  return best;
}

Waiting* Queue::find(RequestId id) {
  const auto at = std::ranges::find(all_, id, &Waiting::id);
  return at == all_.end() ? nullptr : &*at;
}

Waiting Queue::take(RequestId id) {
  const auto at = std::ranges::find(all_, id, &Waiting::id);
  SKALD_ASSERT(at != all_.end());
  Waiting out = std::move(*at);
  all_.erase(at);
  return out;
}

bool Queue::has_ready() const { return std::ranges::any_of(all_, &Waiting::is_ready); }

void Queue::end_restoring(const std::function<bool(const Waiting&)>& over) {
  for (Waiting& w : all_)
    if (w.restoring && over(w)) w.restoring = false;
}

}  // namespace skald
