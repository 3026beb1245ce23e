#include "engine/queue.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/callback.h"
#include "engine/ending.h"

namespace skald {
namespace {

// A place in the order of turns: the first requests of all owners go before the second ones.
struct Turn {
  int64_t round;
  FairOrder::Claim claim;
  Waiting* waiting;
  bool operator<(const Turn& other) const { return std::tie(round, claim) < std::tie(other.round, other.claim); }
};

std::vector<Turn> turns_of(std::list<Waiting>& all, const FairOrder& order) {
  std::vector<Turn> turns;
  for (Waiting& w : all) turns.push_back({0, order.claim(w.request, w.id), &w});
  std::ranges::sort(turns, {}, &Turn::claim);
  std::unordered_map<std::string_view, int64_t> of_owner;
  for (Turn& turn : turns) turn.round = of_owner[turn.waiting->request.owner]++;
  std::sort(turns.begin(), turns.end());
  return turns;
}

}  // namespace

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
  moved_ = true;
  return out;
}

void Queue::tell_turns(const FairOrder& order) {
  if (!std::exchange(moved_, false) || std::ranges::none_of(all_, [](const Waiting& w) { return bool(w.request.on_wait); }))
    return;
  int64_t before = 0;
  for (const Turn& turn : turns_of(all_, order)) {
    Waiting& w = *turn.waiting;
    const int64_t now = before++;
    if (w.request.on_wait && std::exchange(w.before, now) != now) call_back(w.id, [&] { w.request.on_wait(now); });
  }
}

}  // namespace skald
