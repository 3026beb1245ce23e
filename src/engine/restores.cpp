#include "engine/restores.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/guarded.h"

namespace skald {
namespace {

constexpr std::string_view kRestores = "pages on their way into the cache";
constexpr int64_t kMostRestores = 4;
constexpr int kMostLookups = 4;

}  // namespace

bool Restores::fetch(RequestId id, const PrefixIndex::Namespace& ns, std::span<const TokenId> prompt,
                     const HasRoom& has_room, bool anew) {
  if (!disk_ || (waits_.contains(id) && waits_[id].lookups >= kMostLookups)) return false;
  Past past = tree_.take(ns, prompt);
  const int64_t from = past.kv.length();
  if (looks(waits_[id], ns, prompt, from, anew)) return true;
  std::vector<Piece> pieces = disk_->find(ns.scope, prompt, from);
  if (pieces.empty()) return false;
  if (std::ssize(all_) >= kMostRestores || comes_already(ns, prompt, from)) return waits_[id].waits = true;
  if (!has_room(past.kv.need((pieces.back().page + 1) * kPageKeys))) return false;
  Wait& wait = waits_[id];
  ++wait.lookups;
  all_.emplace_back(id, ns, std::vector<TokenId>(prompt.begin(), prompt.end()), std::move(past.kv), std::move(pieces));
  all_.back().ask(*disk_, cache_);
  return wait.waits = true;
}

// Whether the store is about to tell which pages it has. Another server may have written some while the request waits for a
// slot.
bool Restores::looks(Wait& wait, const PrefixIndex::Namespace& ns, std::span<const TokenId> prompt, int64_t from,
                     bool anew) {
  if (wait.looked && !*wait.looked) return true;
  const Clock::time_point now = Clock::now();
  if (now < wait.looks_again) return false;
  wait.looks_again = now + PageStore::kAbsentFor;
  wait.looked = disk_->look(ns.scope, prompt, from, anew);
  return wait.looked != nullptr;
}

// Whether another request has the next page read.
bool Restores::comes_already(const PrefixIndex::Namespace& ns, std::span<const TokenId> prompt, int64_t from) const {
  const std::span<const TokenId> next = prompt.first(static_cast<size_t>(from + kPageKeys));
  return std::ranges::any_of(all_, [&](const Restore& r) {
    return r.ns() == ns && r.end() >= std::ssize(next) && std::ranges::equal(next, r.tokens().first(next.size()));
  });
}

bool Restores::waits(RequestId id) const {
  const auto wait = waits_.find(id);
  return wait != waits_.end() && (wait->second.waits || (wait->second.looked && !*wait->second.looked));
}

int64_t Restores::forget(RequestId id) noexcept {
  const auto at = std::ranges::find(all_, id, &Restore::id);
  if (at != all_.end()) end(at, Restore::State::kNoRoom);
  const auto wait = waits_.extract(id);
  return wait ? wait.mapped().came : 0;
}

bool Restores::give_up_one() {
  const auto last = std::ranges::find_if(all_.rbegin(), all_.rend(), [](const Restore& r) { return r.id() != 0; });
  if (last == all_.rend()) return false;
  waits_[last->id()].lookups = kMostLookups;
  end(std::prev(last.base()), Restore::State::kNoRoom);
  return true;
}

void Restores::clear() noexcept {
  while (!all_.empty()) end(all_.begin(), Restore::State::kWaits);
}

bool Restores::has_work() const {
  return std::ranges::any_of(all_, [](const Restore& r) { return r.has_work(); });
}

void Restores::move(const Over& is_over) {
  for (auto restore = all_.begin(); restore != all_.end();) {
    const auto at = restore++;
    move(at, is_over);
  }
}

void Restores::move(At at, const Over& is_over) {
  Restore::State state = Restore::State::kGoesOn;
  const auto go_on = [&] {
    while (at->has_work()) {
      tree_.make_room(at->need());
      if (state = at->apply(); state != Restore::State::kGoesOn) return;
      if (is_over()) break;
    }
    if (at->id() != 0) at->ask(*disk_, cache_);
  };
  if (!guarded(kRestores, go_on)) state = Restore::State::kNoRoom;
  if (state != Restore::State::kGoesOn) end(at, state);
}

// Pages that came are kept, as far as a sequence can begin with them; the requests that waited for them go on.
void Restores::end(At at, Restore::State state) noexcept {
  std::list<Restore> ended;
  ended.splice(ended.end(), all_, at);
  Restore& restore = ended.front();
  const KvSequence& kv = restore.finish();
  bool whole = kv.length() == restore.end(), used = kv.length() > restore.from() && (whole || !kv.forgets());
  const auto keep = [&] { tree_.insert(restore.ns(), restore.tokens().first(static_cast<size_t>(kv.length())), kv); };
  if (used && !guarded(kRestores, keep)) {
    whole = used = false;
    state = Restore::State::kNoRoom;
  }
  if (const auto wait = waits_.find(restore.id()); wait != waits_.end()) {
    wait->second.came = used ? kv.length() - restore.from() : 0;
    if (whole) wait->second.lookups = kMostLookups;
  }
  for (auto& [id, wait] : waits_) wait.waits = wait.waits && std::ranges::count(all_, id, &Restore::id) > 0;
  if (restore.when_over) guarded(kRestores, [&] { restore.when_over(whole ? Restore::State::kDone : state); });
}

}  // namespace skald
