#include "kv/open_pages.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/reserve_more.h"
#include "kv/cache.h"

namespace skald {

int64_t OpenPages::need(const KvCache& cache, size_t group, int64_t length, int64_t n) const {
  if (!cache.spec().groups[group].has_codes()) return 0;
  const int64_t from = count() ? first_ + count() : length / kPageKeys;
  return std::max<int64_t>(0, ceil_div(n, kPageKeys) - from) + (copies(length) ? 1 : 0);
}

void OpenPages::reserve(KvCache& cache, size_t group, int64_t length, int64_t n) {
  if (!cache.spec().groups[group].has_codes()) return;
  SKALD_ASSERT(can_end_at(length));
  PagePool& pool = cache.open_pool(group);
  if (copies(length)) {
    PageRef own = pool.take();
    cache.memory_of_group(group).copy(own.data(), places_[at(length)], pool.page_bytes());
    places_[at(length)] = own.data();
    refs_[at(length)] = std::move(own);
  }
  const int64_t first = count() ? first_ : length / kPageKeys;
  while (first + count() < ceil_div(n, kPageKeys)) push_back(pool.take(), first);
}

void OpenPages::push_back(PageRef page, int64_t first) {
  SKALD_ASSERT(page && (refs_.empty() || first == first_));
  reserve_more(places_, 1);  // both, or none
  refs_.push_back(std::move(page));
  places_.push_back(refs_.back().data());
  first_ = first;
}

void OpenPages::give_back_from(int64_t n) {
  while (count() && (first_ + count() - 1) * kPageKeys >= n) {
    refs_.pop_back();
    places_.pop_back();
  }
}

void OpenPages::forget_before(int64_t n) {
  const int64_t gone = std::clamp<int64_t>(n / kPageKeys - first_, 0, count());
  refs_.erase(refs_.begin(), refs_.begin() + gone);
  places_.erase(places_.begin(), places_.begin() + gone);
  first_ += gone;
}

int64_t OpenPages::owned() const {
  return std::ranges::count_if(refs_, [](const PageRef& page) { return !page.used_by_others(); });
}

}  // namespace skald
