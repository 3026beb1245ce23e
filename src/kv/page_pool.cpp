#include "kv/page_pool.h"

#include <algorithm>

#include "base/error.h"

namespace skald {

std::byte* PagePool::take() {
  if (free_.empty() && !grow()) return nullptr;
  std::byte* page = free_.back();
  free_.pop_back();
  return page;
}

bool PagePool::grow() {
  const int64_t more = std::min(slab_.pages, max_pages_ - made_);
  if (more <= 0) return false;
  free_.reserve(static_cast<size_t>(made_ + more));  // so that give_back never allocates
  const Buffer& slab = slabs_.emplace_back(slab_.bytes);
  if (lock_) lock_->lock({slab.data(), static_cast<size_t>(slab.size())});
  for (int64_t i = more; i-- > 0;) free_.push_back(slab.data() + i * slab_.step);
  made_ += more;
  return true;
}

void PagePool::trim() {
  SKALD_ASSERT(taken() == 0);
  free_.clear();
  slabs_.clear();
  made_ = 0;
}

}  // namespace skald
