#include "kv/page_pool.h"

#include <algorithm>

#include "base/error.h"
#include "base/reserve_more.h"

namespace skald {

void PageRef::add_owner() {
  if (!used()) --page_->pool->kept_;
  ++page_->owners;
}

PageRef::~PageRef() {
  if (!page_) return;
  if (--page_->owners == 0)
    page_->pool->give_back(*page_);
  else if (!used())
    ++page_->pool->kept_;
}

void PageRef::keep(bool keeps) {
  const bool was_used = used();
  page_->keepers += keeps ? 1 : -1;
  page_->pool->kept_ += int64_t{was_used} - int64_t{used()};
}

// A sequence's next page is the neighbour of its last one, where that is free: rows that are chosen from all of its pages
// are found faster so. A sequence that begins takes an empty slab; else the middle of the longest free stretch, so that the
// one that has the pages in front of it can go on as well.
PageRef PagePool::take(const PageRef& before) {
  if (before) {
    const int64_t next = before.page_->number + 1;
    if (next % slab_.pages != 0 && next < made() && is_free(next)) return take_page(next);
  }
  if (empty_slabs_.empty()) {
    const auto [first, pages] = longest_stretch();
    if (2 * pages >= slab_.pages || !grow())
      return pages ? take_page(first % slab_.pages ? first + pages / 2 : first) : PageRef();
  }
  return take_page(static_cast<int64_t>(empty_slabs_.back()) * slab_.pages);
}

// The last one of a stretch is the least in the way of those who go on.
PageRef PagePool::take_spare() {
  const auto [first, pages] = empty_slabs_.empty() ? longest_stretch() : Stretch();
  return pages ? take_page(first + pages - 1) : take();
}

PageRef PagePool::take_page(int64_t number) {
  Slab& slab = slabs_[static_cast<size_t>(number / slab_.pages)];
  if (slab.free == slab.pages) empty_slabs_.pop_back();
  --slab.free;
  --free_;
  PageRef::Page& page = pages_[static_cast<size_t>(number)];
  page.origin = {};
  return PageRef(&page);
}

void PagePool::give_back(const PageRef::Page& page) {
  const auto at = static_cast<size_t>(page.number / slab_.pages);
  ++free_;
  if (++slabs_[at].free == slabs_[at].pages) empty_slabs_.push_back(at);
}

// Slabs are looked at one after another, but not where a slab is a page: then every free one is empty.
PagePool::Stretch PagePool::longest_stretch() const {
  Stretch longest;
  if (slab_.pages == 1 || free_ == 0) return longest;
  for (size_t i = 0; i < slabs_.size(); ++i)
    if (slabs_[i].free > longest.pages) add_stretches(i, longest);
  return longest;
}

void PagePool::add_stretches(size_t slab, Stretch& longest) const {
  const int64_t begin = static_cast<int64_t>(slab) * slab_.pages, end = begin + slabs_[slab].pages;
  for (int64_t from = begin, to; from < end; from = to + 1) {
    to = from;
    while (to < end && is_free(to)) ++to;
    if (to - from > longest.pages) longest = {from, to - from};
  }
}

// All of a slab, or none where there is no memory to note them.
void PagePool::add_pages(int64_t n, std::byte* data) {
  const int64_t before = made();
  try {
    for (int64_t i = 0; i < n; ++i) pages_.push_back({.pool = this, .data = data + i * slab_.step, .number = before + i});
  } catch (...) {
    while (made() > before) pages_.pop_back();
    throw;
  }
}

bool PagePool::grow() {
  const int64_t more = std::min(slab_.pages, max_pages_ - made());
  if (more <= 0) return false;
  std::unique_ptr<DeviceBuffer> memory = memory_.allocate(slab_.bytes);
  if (lock_ && memory_.host_visible()) lock_->lock({memory->data(), static_cast<size_t>(memory->size())});
  reserve_more(slabs_, 1);
  reserve_more(empty_slabs_, slabs_.size() + 1 - empty_slabs_.size());  // so that giving back never allocates
  add_pages(more, memory->data());
  slabs_.push_back({std::move(memory), more, more});
  empty_slabs_.push_back(slabs_.size() - 1);
  free_ += more;
  return true;
}

bool PagePool::neighbours(const PageRef& before, const PageRef& page) {
  const PagePool& pool = *before.page_->pool;
  return page.page_->number == before.page_->number + 1 && page.page_->number % pool.slab_.pages != 0;
}

void PagePool::trim() {
  SKALD_ASSERT(taken() == 0);
  free_ = 0;
  empty_slabs_.clear();
  pages_.clear();
  slabs_.clear();
}

}  // namespace skald
