// Pages that one sequence computed and others take over.
#include <algorithm>
#include <vector>

#include "base/checked.h"
#include "base/error.h"
#include "kv/sequence.h"

namespace skald {
namespace {

/// What a path of shared pages has, page by page.
class Path {
 public:
  /// `parts` follow each other from position 0 on.
  Path(KvCache& cache, std::span<const SharedPages> parts)
      : cache_(cache), parts_(parts), pages_(cache.spec().groups.size()) {
    int64_t end = 0;
    for (const SharedPages& part : parts) {
      SKALD_ASSERT(part.first == end && end % kPageKeys == 0);
      end = part.end;
      for (size_t g = 0; g < pages_.size(); ++g)
        pages_[g].insert(pages_[g].end(), part.groups[g].pages.begin(), part.groups[g].pages.end());
    }
  }

  int64_t end() const { return parts_.empty() ? 0 : parts_.back().end; }
  /// Of a group; empty ones where the page is gone.
  std::span<const PageRef> pages(size_t group) const { return pages_[group]; }
  RecurrentPool::Block state(int64_t n) const {
    const auto part = std::ranges::find(parts_, n, &SharedPages::end);
    return part == parts_.end() ? nullptr : part->recurrent;
  }

  /// The first of the keys [0, n) that may not be taken.
  int64_t taken(int64_t n, const ReusePolicy& reuse) const {
    for (int64_t at = 0; at < n; at += kPageKeys) {
      const int64_t keys = std::min(n - at, kPageKeys);
      for (const std::vector<PageRef>& pages : pages_) {
        const PageRef& page = pages[static_cast<size_t>(at / kPageKeys)];
        if (!page) continue;
        if (const int64_t taken = reuse.taken(page.origin(), keys); taken < keys) return at + taken;
      }
    }
    return n;
  }

  bool can_end_at(int64_t n) const {
    if (n < parts_.front().prefix) return false;
    if (n % kPageKeys && cache_.spec().has_codes()) return false;  // keys as they came are not shared
    if (cache_.spec().recurrent_floats && !state(n)) return false;
    for (size_t g = 0; g < pages_.size(); ++g)
      if (!has_what_is_seen(g, n) || !has_sums(g, n)) return false;
    return true;
  }

  /// The next smaller number of tokens that is worth asking for.
  int64_t before(int64_t n) const {
    int64_t next = (n - 1) / kPageKeys * kPageKeys;
    for (const SharedPages& part : parts_)
      if (part.end < n) next = std::max(next, part.end);
    return next;
  }

 private:
  bool has(size_t g, int64_t position) const {
    return static_cast<bool>(pages_[g][static_cast<size_t>(position / kPageKeys)]);
  }

  // All keys, or a window's and the sinks.
  bool has_what_is_seen(size_t g, int64_t n) const {
    const int64_t window = cache_.spec().groups[g].window, sinks = window ? cache_.limits().sinks : 0;
    const int64_t from = window ? std::max<int64_t>(0, n + 1 - window) : 0;
    for (int64_t at = 0; at < n; at += kPageKeys)
      if ((at < sinks || at + kPageKeys > from) && !has(g, at)) return false;
    return true;
  }

  // A sum that ends before n goes on with the values after it; one that goes past n is made again from the block's. A
  // window has given up those that it does not see.
  bool has_sums(size_t g, int64_t n) const {
    const KvGroup& group = cache_.spec().groups[g];
    if (!group.value_sums || n % group.run_keys == 0) return true;
    const int64_t block = n - n % group.run_keys, summed = block + sum_end(g, block, n);
    if (summed == n) return true;
    const int64_t from = summed < n ? summed : block;
    if (group.window && from < n - cache_.limits().rollback + 1 - group.window) return false;
    for (int64_t at = from; at < n; at += kPageKeys)
      if (!has(g, at)) return false;
    return true;
  }

  // Keys of the block in the sum that a sequence of n keys takes over; all layers and heads have as many.
  int64_t sum_end(size_t g, int64_t block, int64_t n) const {
    const IndexRun* last = nullptr;
    for (const SharedPages& part : parts_)
      for (const IndexRuns::Entry& entry : part.groups[g].runs)
        if (entry.run.first >= block && entry.run.first < n) last = &entry.run;
    if (!last) return 0;
    const KvSpec& spec = cache_.spec();
    ValueSum sum{};
    const ValueSum& there = spec.views[static_cast<size_t>(spec.groups[g].slots[0])].index.sum(*last, 0);
    cache_.memory_of_group(g).read(reinterpret_cast<std::byte*>(&sum), reinterpret_cast<const std::byte*>(&there),
                                   sizeof sum);
    return sum.end;
  }

  KvCache& cache_;
  std::span<const SharedPages> parts_;
  std::vector<std::vector<PageRef>> pages_;  // (groups, pages)
};

}  // namespace

SharedPages KvSequence::share(int64_t from, int64_t to) const {
  SKALD_ASSERT(from % kPageKeys == 0 && from <= to && to <= length_);
  if (dropped_)
    for (size_t g = 0; g < tables_.size(); ++g)
      if (!group(g).window) to = std::max(from, std::min(to, tables_[g].kept));
  SharedPages pages{.first = from, .end = to, .prefix = prefix_};
  for (size_t g = 0; g < tables_.size(); ++g) pages.groups.push_back(share(g, from, to));
  if (to == length_ && !stepping_) pages.recurrent = recurrent_;
  return pages;
}

SharedPages::Group KvSequence::share(size_t g, int64_t from, int64_t to) const {
  const Table& t = tables_[g];
  SharedPages::Group out;
  const int64_t kept = ceil_div(t.kept, kPageKeys), gone = t.shift / kPageKeys;
  for (int64_t page = from / kPageKeys; page < ceil_div(to, kPageKeys); ++page) {
    const bool there = page < kept || page >= kept + gone;
    out.pages.push_back(there ? t.pages[static_cast<size_t>(page < kept ? page : page - gone)] : PageRef());
  }
  const int64_t full = to - to % kPageKeys;
  for (size_t i = 0; i < t.runs.size(); ++i) {
    IndexRuns::Entry entry = t.runs.entry(i);
    entry.run.first = std::max(entry.run.first, from);
    entry.run.end = std::min(entry.run.end, full);
    if (entry.run.first < entry.run.end) out.runs.push_back(std::move(entry));
  }
  return out;
}

int64_t KvSequence::sharing_step() const {
  int64_t step = kPageKeys;
  for (const KvGroup& g : cache_->spec().groups)
    if (g.has_index()) step = std::max(step, g.run_keys);
  return step;
}

int64_t KvSequence::adopt(std::span<const SharedPages> path, int64_t n, const ReusePolicy& reuse) {
  SKALD_ASSERT(length_ == 0 && n >= 0);
  const Path past(*cache_, path);
  if (std::ranges::any_of(path, [&](const SharedPages& p) { return p.prefix != prefix_; })) return 0;
  n = past.taken(std::min(n, past.end()), reuse);
  while (n > 0 && !past.can_end_at(n)) n = past.before(n);
  if (n == 0) return 0;
  clear();
  try {
    for (size_t g = 0; g < tables_.size(); ++g) adopt(g, past.pages(g), path, n);
  } catch (...) {  // all of it, or nothing
    clear();
    throw;
  }
  recurrent_ = past.state(n);
  length_ = n;
  forget_windows();
  return n;
}

// The pages after the kept ones up to the last one that is gone are as forgotten.
void KvSequence::adopt(size_t g, std::span<const PageRef> pages, std::span<const SharedPages> path, int64_t n) {
  Table& t = tables_[g];
  const int64_t kept = ceil_div(t.kept, kPageKeys), end = ceil_div(n, kPageKeys);
  int64_t after = end;  // the first page after those that are gone
  while (after > 0 && pages[static_cast<size_t>(after - 1)]) --after;
  after = std::max(after, std::min(kept, end));
  for (int64_t page = 0; page < end; ++page)
    if (page < kept || page >= after) t.push_back(pages[static_cast<size_t>(page)]);
  t.shift = std::max<int64_t>(0, after - kept) * kPageKeys;
  if (t.shift) t.begin = kept * kPageKeys;
  for (const SharedPages& part : path)
    for (IndexRuns::Entry entry : part.groups[g].runs) {
      entry.run.end = std::min(entry.run.end, n - n % kPageKeys);
      if (entry.run.first < entry.run.end) t.runs.append(entry);
    }
}

}  // namespace skald
