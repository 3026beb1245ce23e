#include "kv/sequence.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "kv/copy_keys.h"

namespace skald {

KvSequence::KvSequence(KvCache& cache) : cache_(&cache), tables_(cache.spec().groups.size()) {
  for (size_t g = 0; g < tables_.size(); ++g)
    if (cache.spec().groups[g].window) tables_[g].kept = cache.limits().sinks;
}

KvSequence::KvSequence(KvSequence&& other) noexcept
    : cache_(other.cache_),
      length_(std::exchange(other.length_, 0)),
      dropped_(std::exchange(other.dropped_, 0)),
      prefix_(std::exchange(other.prefix_, 0)),
      tables_(std::exchange(other.tables_, {})),
      recurrent_(std::move(other.recurrent_)) {}

KvSequence& KvSequence::operator=(KvSequence&& other) noexcept {
  KvSequence taken(std::move(other));
  std::swap(cache_, taken.cache_);
  std::swap(length_, taken.length_);
  std::swap(dropped_, taken.dropped_);
  std::swap(prefix_, taken.prefix_);
  std::swap(tables_, taken.tables_);
  std::swap(recurrent_, taken.recurrent_);
  return *this;
}

bool KvSequence::reserve(int64_t n) {
  for (size_t g = 0; g < tables_.size(); ++g) {
    if (reserve(g, n)) continue;
    unreserve();
    return false;
  }
  if (cache_->spec().recurrent_floats && (!recurrent_ || recurrent_.use_count() > 1))
    recurrent_ = cache_->recurrent().take(recurrent_);
  return true;
}

bool KvSequence::reserve(size_t group, int64_t n) {
  if (!own_last_page(group)) return false;
  Table& t = tables_[group];
  const auto want = static_cast<size_t>(ceil_div(n - t.shift, kPageKeys));
  while (t.pages.size() < want) {
    PageRef page = cache_->pool(group).take();
    if (!page) return false;
    t.places.push_back(page.data());
    t.pages.push_back(std::move(page));
  }
  return reserve_runs(group, n);
}

// The page that the next key goes to, if others see it too: a copy of its keys so far.
bool KvSequence::own_last_page(size_t group) {
  Table& t = tables_[group];
  const int64_t slot = length_ - t.shift, keys = slot % kPageKeys;
  if (!keys || !t.pages[static_cast<size_t>(slot / kPageKeys)].shared()) return true;
  const auto at = static_cast<size_t>(slot / kPageKeys);
  PageRef own = cache_->pool(group).take();
  if (!own) return false;
  copy_keys(cache_->spec(), group, t.places[at], own.data(), keys);
  t.places[at] = own.data();
  t.pages[at] = std::move(own);
  return true;
}

bool KvSequence::reserve_runs(size_t group, int64_t n) {
  if (!cache_->spec().groups[group].run_bytes) return true;
  Table& t = tables_[group];
  const auto want = static_cast<size_t>(ceil_div(n, cache_->spec().groups[group].run_keys));
  while (t.runs.size() < want) {
    PageRef run = cache_->index_pool(group).take();
    if (!run) return false;
    t.run_places.push_back(run.data());
    t.runs.push_back(std::move(run));
  }
  return true;
}

// Runs whose keys all lie between the kept ones and the first of the others.
void KvSequence::forget_runs(size_t group) {
  Table& t = tables_[group];
  const int64_t run_keys = cache_->spec().groups[group].run_keys;
  for (auto r = static_cast<size_t>(ceil_div(t.kept, run_keys)); r < t.runs.size(); ++r) {
    if ((static_cast<int64_t>(r) + 1) * run_keys > t.begin + t.shift) break;
    t.runs[r] = {};
    t.run_places[r] = nullptr;
  }
}

void KvSequence::erase_pages(Table& t, size_t from, size_t to) {
  const auto cut = [&](auto& v) {
    v.erase(v.begin() + static_cast<std::ptrdiff_t>(from), v.begin() + static_cast<std::ptrdiff_t>(to));
  };
  cut(t.pages);
  cut(t.places);
}

// Keys between the kept ones and `slot` are needed no more: their whole pages go back, and the slots behind move up.
void KvSequence::forget_before(size_t group, int64_t slot) {
  Table& t = tables_[group];
  t.begin = std::max(t.begin, slot);
  const int64_t from = ceil_div(t.kept, kPageKeys), to = t.begin / kPageKeys;
  if (from >= to) return;
  erase_pages(t, static_cast<size_t>(from), static_cast<size_t>(to));
  t.begin -= (to - from) * kPageKeys;
  t.shift += (to - from) * kPageKeys;
  forget_runs(group);
}

void KvSequence::set_length(int64_t n) {
  length_ = n;
  for (size_t g = 0; g < tables_.size(); ++g)
    if (const int64_t window = cache_->spec().groups[g].window)
      forget_before(g, n - cache_->limits().rollback - tables_[g].shift + 1 - window);
}

void KvSequence::set_prefix(int64_t n) {
  SKALD_ASSERT(n >= 0 && length_ == 0);
  prefix_ = n;
}

// A run's sum of values that goes past n is made again from the cache, without the values that a window has given up since
// it was made. (What a context shift dropped is no part of the mean any more, so that a sum without it is as good.)
bool KvSequence::can_sum_again(size_t group, int64_t n) const {
  const KvGroup& spec = cache_->spec().groups[group];
  const Table& t = tables_[group];
  if (!spec.value_sums || !spec.window || n % spec.run_keys == 0) return true;
  const int64_t gone_from = t.kept, gone_to = t.begin + t.shift;  // positions
  return gone_to <= gone_from || gone_to <= n - n % spec.run_keys;
}

// Whether all that position n sees is still there.
bool KvSequence::can_end_at(int64_t n) const {
  if (n < prefix_ || (recurrent_ && n < length_)) return false;
  for (size_t g = 0; g < tables_.size(); ++g) {
    const Table& t = tables_[g];
    const int64_t window = cache_->spec().groups[g].window, slot = n - t.shift;
    if (slot < t.begin) return false;
    // Keys before `begin` are gone, but for the kept ones, which lie before what a window can lose.
    if (window && t.begin > 0 && slot + 1 - window < t.begin) return false;
    if (!can_sum_again(g, n)) return false;
  }
  return true;
}

bool KvSequence::truncate(int64_t n) {
  if (n == 0) {
    for (size_t g = 0; g < tables_.size(); ++g)
      tables_[g] = {.kept = cache_->spec().groups[g].window ? cache_->limits().sinks : 0};
    length_ = dropped_ = 0;
    recurrent_ = {};
    return true;
  }
  if (n < length_ && !can_end_at(n)) return false;
  give_back_from(n);
  length_ = std::min(length_, n);
  return true;
}

void KvSequence::give_back_from(int64_t n) {
  for (size_t g = 0; g < tables_.size(); ++g) {
    Table& t = tables_[g];
    const auto keep = static_cast<size_t>(std::max<int64_t>(ceil_div(n - t.shift, kPageKeys), 0));
    if (keep < t.pages.size()) erase_pages(t, keep, t.pages.size());
    const auto runs = static_cast<size_t>(ceil_div(n, cache_->spec().groups[g].run_keys));
    if (runs >= t.runs.size()) continue;
    t.runs.resize(runs);
    t.run_places.resize(runs);
  }
}

void KvSequence::drop(int64_t keep, int64_t n) {
  SKALD_ASSERT(keep >= 0 && n > 0 && keep + n <= held() && prefix_ == 0);
  for (size_t g = 0; g < tables_.size(); ++g) {
    if (cache_->spec().groups[g].window) continue;  // a window forgets by itself
    SKALD_ASSERT(dropped_ == 0 || keep == tables_[g].kept);
    tables_[g].kept = keep;
    forget_before(g, std::max(tables_[g].begin, keep) + n);
  }
  dropped_ += n;
}

KvSequence KvSequence::fork() const {
  for (const KvGroup& group : cache_->spec().groups)
    if (group.run_bytes)
      fail(Errc::kUnsupported, "a sequence whose keys have an index for sparse decoding cannot be forked");
  KvSequence other(*cache_);
  other.length_ = length_;
  other.dropped_ = dropped_;
  other.prefix_ = prefix_;
  other.tables_ = tables_;
  other.recurrent_ = recurrent_;
  other.unreserve();
  return other;
}

KvView KvSequence::view(int64_t slot) const {
  const Table& t = tables_[cache_->spec().group_of[static_cast<size_t>(slot)]];
  KvView view = cache_->spec().views[static_cast<size_t>(slot)];
  view.pages = view.v_pages = t.places.data();
  view.index.runs = t.run_places.data();
  view.kept = t.kept;
  view.begin = std::max(t.begin, t.kept);
  view.shift = t.shift;
  view.dropped = dropped_;
  view.prefix = prefix_;
  return view;
}

float* KvSequence::recurrent(int64_t slot) const {
  return recurrent_.get() + cache_->spec().recurrent_at[static_cast<size_t>(slot)];
}

}  // namespace skald
