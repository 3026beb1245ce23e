#include "kv/sequence.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "base/error.h"

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
      tables_(std::exchange(other.tables_, {})) {}

bool KvSequence::reserve(int64_t n) {
  for (size_t g = 0; g < tables_.size(); ++g) {
    if (reserve(g, n)) continue;
    truncate(length_);
    return false;
  }
  return true;
}

bool KvSequence::reserve(size_t group, int64_t n) {
  Table& t = tables_[group];
  const auto want = static_cast<size_t>(ceil_div(n - t.shift, kPageKeys));
  while (t.pages.size() < want) {
    std::byte* page = cache_->pool(group).take();
    if (!page) return false;
    t.pages.push_back(page);
  }
  return reserve_runs(group, n);
}

bool KvSequence::reserve_runs(size_t group, int64_t n) {
  if (!cache_->spec().groups[group].run_bytes) return true;
  std::vector<std::byte*>& runs = tables_[group].runs;
  const auto want = static_cast<size_t>(ceil_div(n, cache_->spec().groups[group].run_keys));
  while (runs.size() < want) {
    std::byte* run = cache_->index_pool(group).take();
    if (!run) return false;
    runs.push_back(run);
  }
  return true;
}

// Runs whose keys all lie between the kept ones and the first of the others.
void KvSequence::forget_runs(size_t group) {
  Table& t = tables_[group];
  const int64_t run_keys = cache_->spec().groups[group].run_keys;
  for (auto r = static_cast<size_t>(ceil_div(t.kept, run_keys)); r < t.runs.size(); ++r) {
    if ((static_cast<int64_t>(r) + 1) * run_keys > t.begin + t.shift) break;
    if (t.runs[r]) cache_->index_pool(group).give_back(std::exchange(t.runs[r], nullptr));
  }
}

void KvSequence::give_back(size_t group, size_t from, size_t to) {
  Table& t = tables_[group];
  for (size_t i = from; i < to; ++i) cache_->pool(group).give_back(t.pages[i]);
  t.pages.erase(t.pages.begin() + static_cast<std::ptrdiff_t>(from), t.pages.begin() + static_cast<std::ptrdiff_t>(to));
}

// Keys between the kept ones and `slot` are needed no more: their whole pages go back, and the slots behind move up.
void KvSequence::forget_before(size_t group, int64_t slot) {
  Table& t = tables_[group];
  t.begin = std::max(t.begin, slot);
  const int64_t from = ceil_div(t.kept, kPageKeys), to = t.begin / kPageKeys;
  if (from >= to) return;
  give_back(group, static_cast<size_t>(from), static_cast<size_t>(to));
  t.begin -= (to - from) * kPageKeys;
  t.shift += (to - from) * kPageKeys;
  forget_runs(group);
}

void KvSequence::set_length(int64_t n) {
  length_ = n;
  for (size_t g = 0; g < tables_.size(); ++g)
    if (const int64_t window = cache_->spec().groups[g].window) forget_before(g, n - tables_[g].shift + 1 - window);
}

void KvSequence::set_prefix(int64_t n) {
  SKALD_ASSERT(n >= 0 && length_ == 0);
  prefix_ = n;
}

void KvSequence::truncate(int64_t n) {
  SKALD_ASSERT(n == 0 || n >= prefix_);
  for (size_t g = 0; g < tables_.size(); ++g) {
    Table& t = tables_[g];
    if (n == 0)
      t = {.pages = std::move(t.pages),
           .runs = std::move(t.runs),
           .kept = cache_->spec().groups[g].window ? cache_->limits().sinks : 0};
    SKALD_ASSERT(n == 0 || n - t.shift >= t.begin);
    const auto keep = static_cast<size_t>(ceil_div(n - t.shift, kPageKeys));
    if (keep < t.pages.size()) give_back(g, keep, t.pages.size());
    for (const auto runs = static_cast<size_t>(ceil_div(n, cache_->spec().groups[g].run_keys)); t.runs.size() > runs;
         t.runs.pop_back())
      if (t.runs.back()) cache_->index_pool(g).give_back(t.runs.back());
  }
  length_ = std::min(length_, n);
  if (n == 0) dropped_ = 0;
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

KvView KvSequence::view(int64_t layer) const {
  const Table& t = tables_[cache_->spec().group_of[static_cast<size_t>(layer)]];
  KvView view = cache_->spec().views[static_cast<size_t>(layer)];
  view.pages = view.v_pages = t.pages.data();
  view.index.runs = t.runs.data();
  view.kept = t.kept;
  view.begin = std::max(t.begin, t.kept);
  view.shift = t.shift;
  view.dropped = dropped_;
  view.prefix = prefix_;
  return view;
}

}  // namespace skald
