#include "engine/queue.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "engine/ending.h"

namespace skald {

void Waiting::finish(Clock::time_point now, FinishReason reason, std::string_view error, std::optional<Errc> code) noexcept {
  finish_unrun(id, request, promise, {.queue_seconds = seconds_between(arrived, now)}, reason, error, code);
}

void FairOrder::enter(const std::string& owner) {
  const auto [at, is_new] = owners_.try_emplace(owner, Owner{now_ - 1, 0});
  ++at->second.requests;
}

void FairOrder::leave(const std::string& owner) {
  const auto at = owners_.find(owner);
  SKALD_ASSERT(at != owners_.end());
  if (--at->second.requests == 0) owners_.erase(at);
}

void FairOrder::take(const std::string& owner) { owners_.at(owner).last_turn = now_ += 2; }

FairOrder::Claim FairOrder::claim(const Request& request, RequestId id) const {
  return {owners_.at(request.owner).last_turn, request.priority, id};
}

Waiting* Queue::next(const FairOrder& order, const std::function<bool(const Waiting&)>& ready) {
  Waiting* best = nullptr;
  std::optional<FairOrder::Claim> least;
  for (Waiting& w : all_) {
    if (!ready(w)) continue;
    const FairOrder::Claim claim = order.claim(w.request, w.id);
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

}  // namespace skald
