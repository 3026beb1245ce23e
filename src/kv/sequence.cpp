#include "kv/sequence.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "base/reserve_more.h"
#include "kv/copy_keys.h"

namespace skald {

void KvSequence::Table::push_back(PageRef page) {
  reserve_more(places, 1);  // both, or none
  pages.push_back(std::move(page));
  places.push_back(pages.back().data());
}

KvSequence::KvSequence(KvCache& cache) : cache_(&cache), tables_(cache.spec().groups.size()) {
  for (size_t g = 0; g < tables_.size(); ++g) tables_[g] = empty_table(g);
}

KvSequence::KvSequence(KvSequence&& other) noexcept
    : cache_(other.cache_),
      length_(std::exchange(other.length_, 0)),
      dropped_(std::exchange(other.dropped_, 0)),
      prefix_(std::exchange(other.prefix_, 0)),
      tables_(std::exchange(other.tables_, {})),
      recurrent_(std::move(other.recurrent_)),
      key_memo_(std::exchange(other.key_memo_, {})),
      stepping_(std::exchange(other.stepping_, false)),
      brief_(other.brief_) {}

KvSequence& KvSequence::operator=(KvSequence&& other) noexcept {
  KvSequence taken(std::move(other));
  std::swap(cache_, taken.cache_);
  std::swap(length_, taken.length_);
  std::swap(dropped_, taken.dropped_);
  std::swap(prefix_, taken.prefix_);
  std::swap(tables_, taken.tables_);
  std::swap(recurrent_, taken.recurrent_);
  std::swap(key_memo_, taken.key_memo_);
  std::swap(stepping_, taken.stepping_);
  std::swap(brief_, taken.brief_);
  return *this;
}

KvSequence::Table KvSequence::empty_table(size_t g) const { return {.kept = group(g).window ? cache_->limits().sinks : 0}; }

// Whether the page that the next key goes to is others' too.
bool KvSequence::copies_last_page(const Table& t) const {
  const int64_t slot = length_ - t.shift;
  return slot % kPageKeys && t.pages[static_cast<size_t>(slot / kPageKeys)].shared();
}

int64_t KvSequence::missing_pages(const Table& t, int64_t n) const {
  return std::max<int64_t>(0, ceil_div(n - t.shift, kPageKeys) - std::ssize(t.pages));
}

// Whether the next step's recurrent states do not exist yet, or are other sequences' too.
bool KvSequence::takes_state() const {
  return cache_->spec().recurrent_floats && (!recurrent_ || recurrent_.use_count() > 1);
}

// What reserve(n) would take of a group.
KvSequence::GroupRoom KvSequence::takes(size_t g, int64_t n) const {
  const Table& t = tables_[g];
  const IndexRuns::Need runs = t.runs.need(group(g), length_, n);
  return {missing_pages(t, n) + (copies_last_page(t) ? 1 : 0), runs.long_runs, runs.short_runs,
          t.open.need(*cache_, g, length_, n)};
}

// What it keeps of a group while it goes on; a page that is copied goes.
KvSequence::GroupRoom KvSequence::has(size_t g) const {
  const Table& t = tables_[g];
  return {std::ssize(t.pages) - (copies_last_page(t) ? 1 : 0), t.runs.count(RunLength::kLong),
          t.runs.count(RunLength::kShort), t.open.count() - (t.open.copies(length_) ? 1 : 0)};
}

KvRoom KvSequence::takes(int64_t n) const {
  KvRoom room;
  for (size_t g = 0; g < tables_.size(); ++g) {
    const GroupRoom of_group = takes(g, n);
    room.counts.insert(room.counts.end(), of_group.begin(), of_group.end());
  }
  room.counts.push_back(takes_state() ? 1 : 0);
  return room;
}

// The next step's pages come before the window gives any back. Pages that other sequences use too count as its own: all
// sequences together hold no more than the sum of what each may hold.
KvRoom KvSequence::need(int64_t n) const {
  const int64_t one_step = length_ + cache_->limits().max_rows;
  KvRoom need = takes(n);
  if (n <= one_step) return need;
  const std::vector<int64_t>& most = cache_->most_of_one().counts;
  for (size_t g = 0; g < tables_.size(); ++g) {
    const GroupRoom now = takes(g, one_step), own = has(g);
    for (size_t i = 0; i < own.size(); ++i) {
      int64_t& count = need.counts[own.size() * g + i];
      count = std::clamp(most[own.size() * g + i] - own[i], now[i], count);
    }
  }
  return need;
}

KvRoom KvSequence::owned() const {
  KvRoom owned;
  for (const Table& t : tables_) {
    owned.counts.push_back(std::ranges::count_if(t.pages, [](const PageRef& page) { return !page.used_by_others(); }));
    for (const RunLength length : {RunLength::kLong, RunLength::kShort}) owned.counts.push_back(t.runs.owned(length));
    owned.counts.push_back(t.open.owned());
  }
  owned.counts.push_back(recurrent_ && recurrent_.use_count() == 1 ? 1 : 0);
  return owned;
}

bool KvSequence::reserve(int64_t n) {
  if (!cache_->room().covers(takes(n))) return false;
  try {
    for (size_t g = 0; g < tables_.size(); ++g) take(g, n);
    if (takes_state()) recurrent_ = cache_->recurrent().take(recurrent_);
    if (cache_->spec().key_sums_bytes && key_memo_.sums.empty()) key_memo_ = new_memo();
  } catch (...) {
    unreserve();
    throw;
  }
  key_memo_.pages = length_ / kPageKeys;
  stepping_ = true;
  return true;
}

void KvSequence::take(size_t g, int64_t n) {
  Table& t = tables_[g];
  if (copies_last_page(t)) own_last_page(g);
  for (int64_t more = missing_pages(t, n); more > 0; --more) t.push_back(new_page(g, t.pages.size()));
  t.runs.reserve(*cache_, g, length_, n);
  t.open.reserve(*cache_, g, length_, n);
}

PageRef KvSequence::new_page(size_t g, size_t at) {
  if (brief_) return cache_->pool(g).take_spare();
  return cache_->pool(g).take(at ? tables_[g].pages[at - 1] : PageRef());
}

// A copy of the last page's keys so far.
void KvSequence::own_last_page(size_t g) {
  Table& t = tables_[g];
  const int64_t slot = length_ - t.shift;
  const auto at = static_cast<size_t>(slot / kPageKeys);
  PageRef own = new_page(g, at);
  copy_keys(cache_->memory_of_group(g), cache_->spec(), g, t.places[at], own.data(), slot % kPageKeys);
  own.origin() = t.pages[at].origin();
  t.places[at] = own.data();
  t.pages[at] = std::move(own);
}

void KvSequence::unreserve() {
  give_back_from(length_);
  stepping_ = false;
}

void KvSequence::set_length(int64_t n, KeyOrigin origin) {
  note_origin(length_, n, origin);
  move_to(n);
}

void KvSequence::move_to(int64_t n) {
  length_ = n;
  stepping_ = false;
  forget_windows();
}

void KvSequence::note_origin(int64_t from, int64_t to, const KeyOrigin& origin) {
  for (const Table& t : tables_)
    for (int64_t at = from, next; at < to; at = next) {
      const int64_t first = at - at % kPageKeys;  // of the page
      next = std::min(to, first + kPageKeys);
      PageOrigin& page = t.pages[static_cast<size_t>((at - t.shift) / kPageKeys)].origin();
      page.add(at - first, next - first, origin);
      page.after_drop |= dropped_ > 0;
    }
}

void KvSequence::forget_windows() {
  const int64_t back_to = length_ - cache_->limits().rollback;
  for (size_t g = 0; g < tables_.size(); ++g) {
    if (const int64_t window = group(g).window) forget_before(g, back_to - tables_[g].shift + 1 - window);
    tables_[g].open.forget_before(back_to);
  }
}

void KvSequence::erase_pages(Table& t, size_t from, size_t to) {
  const auto cut = [&](auto& v) {
    v.erase(v.begin() + static_cast<std::ptrdiff_t>(from), v.begin() + static_cast<std::ptrdiff_t>(to));
  };
  cut(t.pages);
  cut(t.places);
}

// Keys between the kept ones and `slot` are needed no more: their whole pages go back, and the slots after move up.
void KvSequence::forget_before(size_t g, int64_t slot) {
  Table& t = tables_[g];
  t.begin = std::max(t.begin, slot);
  const int64_t from = ceil_div(t.kept, kPageKeys), to = t.begin / kPageKeys;
  if (from >= to) return;
  erase_pages(t, static_cast<size_t>(from), static_cast<size_t>(to));
  t.begin -= (to - from) * kPageKeys;
  t.shift += (to - from) * kPageKeys;
  t.runs.forget(group(g), t.kept, t.begin + t.shift);
}

void KvSequence::set_prefix(int64_t n) {
  SKALD_ASSERT(n >= 0 && length_ == 0);
  prefix_ = n;
}

// A block's sum of values that goes past n is made again from the cache, without the values that a window has given up since
// it was made. (What a context shift dropped is no part of the mean any more, so that a sum without it is as good.)
bool KvSequence::can_sum_again(size_t g, int64_t n) const {
  const KvGroup& spec = group(g);
  const Table& t = tables_[g];
  if (!spec.value_sums || !spec.window || n % spec.run_keys == 0) return true;
  const int64_t gone_from = t.kept, gone_to = t.begin + t.shift;  // positions
  return gone_to <= gone_from || gone_to <= n - n % spec.run_keys;
}

// Whether all keys that position n sees are still there.
bool KvSequence::holds_all_before(int64_t n) const {
  if (n < prefix_ || recurrent_) return false;
  for (size_t g = 0; g < tables_.size(); ++g) {
    const Table& t = tables_[g];
    const int64_t window = group(g).window, slot = n - t.shift;
    if (slot < t.begin) return false;
    // Keys before `begin` are gone, but for the kept ones, which lie before what a window can lose.
    if (window && t.begin > 0 && slot + 1 - window < t.begin) return false;
    if (group(g).has_codes() && !t.open.can_end_at(n)) return false;
  }
  return true;
}

int64_t KvSequence::nearest_end(int64_t n) const {
  for (size_t g = 0; g < tables_.size(); ++g)
    if (group(g).has_codes() && !tables_[g].open.can_end_at(n)) return n - n % kPageKeys;
  return n;
}

bool KvSequence::can_end_at(int64_t n) const {
  if (!holds_all_before(n)) return false;
  for (size_t g = 0; g < tables_.size(); ++g)
    if (!can_sum_again(g, n)) return false;
  return true;
}

bool KvSequence::truncate(int64_t n) {
  if (n == 0) {
    clear();
    return true;
  }
  if (n < length_ ? !can_end_at(n) : recurrent_ && stepping_) return false;
  cut_to(std::min(length_, n));
  return true;
}

// What lies from position n on is gone.
void KvSequence::cut_to(int64_t n) {
  length_ = n;
  if (n / kPageKeys < key_memo_.pages) key_memo_ = {};
  unreserve();
}

bool KvSequence::forgets() const {
  return cache_->spec().recurrent_floats > 0 ||
         std::ranges::any_of(cache_->spec().groups, [](const KvGroup& g) { return g.window > 0; });
}

bool KvSequence::can_take_back(int64_t n) const {
  const auto gives_up = [](const KvGroup& g) { return g.window > 0 || g.has_codes(); };
  if (cache_->spec().shares_whole()) return false;
  return n <= cache_->limits().rollback || std::ranges::none_of(cache_->spec().groups, gives_up);
}

void KvSequence::clear() {
  for (size_t g = 0; g < tables_.size(); ++g) tables_[g] = empty_table(g);
  length_ = dropped_ = 0;
  recurrent_ = {};
  key_memo_ = {};
  stepping_ = false;
}

void KvSequence::give_back_from(int64_t n) {
  for (Table& t : tables_) {
    const auto keep = static_cast<size_t>(std::max<int64_t>(ceil_div(n - t.shift, kPageKeys), 0));
    if (keep < t.pages.size()) erase_pages(t, keep, t.pages.size());
    t.runs.give_back_from(n);
    t.open.give_back_from(n);
  }
}

void KvSequence::drop(int64_t keep, int64_t n) {
  SKALD_ASSERT(keep >= 0 && n > 0 && keep + n <= held() && prefix_ == 0);
  for (size_t g = 0; g < tables_.size(); ++g) {
    if (group(g).window) continue;  // a window forgets by itself
    SKALD_ASSERT(dropped_ == 0 || keep == tables_[g].kept);
    tables_[g].kept = keep;
    forget_before(g, std::max(tables_[g].begin, keep) + n);
  }
  dropped_ += n;
}

KvSequence KvSequence::fork() const {
  KvSequence other(*cache_);
  other.length_ = length_;
  other.dropped_ = dropped_;
  other.prefix_ = prefix_;
  other.tables_ = tables_;
  other.recurrent_ = recurrent_;
  other.copy_memo(key_memo_);
  other.brief_ = brief_;
  other.unreserve();
  return other;
}

// A fork's step computes of the pages that were full before it, which are shared.
void KvSequence::learn_from(const KvSequence& fork) {
  copy_memo(fork.key_memo_);
  key_memo_.pages = length_ / kPageKeys;
}

std::optional<KvSequence> KvSequence::fork_before(int64_t n) const {
  if (n <= 0 || n > length_ || !holds_all_before(n)) return std::nullopt;
  KvSequence other = fork();
  other.brief_ = true;
  other.cut_to(n);
  return other;
}

KvSequence::KeyMemo KvSequence::new_memo() const {
  KeyMemo memo;
  const std::vector<KvShare>& shares = cache_->spec().shares;
  for (size_t m = 0; m < shares.size(); ++m) {
    std::unique_ptr<DeviceBuffer>& sums = memo.sums.emplace_back();
    if (const int64_t bytes = shares[m].key_sums_bytes) sums = cache_->memory(m).allocate(bytes);
  }
  return memo;
}

void KvSequence::copy_memo(const KeyMemo& from) {
  if (from.sums.empty()) return;
  if (key_memo_.sums.empty()) key_memo_ = new_memo();
  key_memo_.pages = from.pages;
  for (size_t m = 0; m < from.sums.size(); ++m)
    if (const auto& sums = from.sums[m]) cache_->memory(m).copy(key_memo_.sums[m]->data(), sums->data(), sums->size());
}

KvCheckpoint KvSequence::checkpoint() const { return KvCheckpoint(fork()); }

void KvSequence::restore(const KvCheckpoint& checkpoint) { *this = checkpoint.at_.fork(); }

KvView KvSequence::view(int64_t slot) const {
  const Table& t = tables_[cache_->spec().group_of[static_cast<size_t>(slot)]];
  KvView view = cache_->spec().views[static_cast<size_t>(slot)];
  view.pages = view.v_pages = t.places.data();
  view.index.runs = t.runs.runs().data();
  view.index.n_runs = std::ssize(t.runs.runs());
  view.open.pages = t.open.places();
  view.open.first = t.open.first();
  view.kept = t.kept;
  view.begin = std::max(t.begin, t.kept);
  view.shift = t.shift;
  view.dropped = dropped_;
  view.prefix = prefix_;
  if (!key_memo_.sums.empty()) {
    const KvSpec& spec = cache_->spec();
    const auto at = static_cast<size_t>(slot);
    view.key_sums = key_memo_.sums[spec.memory_of[at]]->data() + spec.key_sums_at[at];
  }
  return view;
}

float* KvSequence::recurrent(int64_t slot) const {
  const KvSpec& spec = cache_->spec();
  const auto at = static_cast<size_t>(slot);
  return recurrent_->in(spec.memory_of[at]) + spec.recurrent_at[at];
}

}  // namespace skald
