#include "kv/page_pool.h"

#include <algorithm>

#include "base/error.h"

namespace skald {

PageRef::~PageRef() {
  if (page_ && --page_->owners == 0) page_->pool->free_.push_back(page_);
}

PageRef PagePool::take() {
  if (free_.empty() && !grow()) return {};
  PageRef::Page* page = free_.back();
  free_.pop_back();
  return PageRef(page);
}

bool PagePool::grow() {
  const int64_t more = std::min(slab_.pages, max_pages_ - made_);
  if (more <= 0) return false;
  free_.reserve(static_cast<size_t>(made_ + more));  // so that giving back never allocates
  const Buffer& slab = slabs_.emplace_back(slab_.bytes);
  if (lock_) lock_->lock({slab.data(), static_cast<size_t>(slab.size())});
  const auto first = static_cast<std::ptrdiff_t>(pages_.size());
  for (int64_t i = 0; i < more; ++i) pages_.push_back({this, slab.data() + i * slab_.step, 0});
  for (auto page = pages_.end(); page != pages_.begin() + first;) free_.push_back(&*--page);
  made_ += more;
  return true;
}

void PagePool::trim() {
  SKALD_ASSERT(taken() == 0);
  free_.clear();
  pages_.clear();
  slabs_.clear();
  made_ = 0;
}

}  // namespace skald
