#include "kv/page_pool.h"

#include "base/error.h"

namespace skald {

std::byte* PagePool::take() {
  if (free_.empty()) {
    if (static_cast<int64_t>(pages_.size()) == max_pages_) return nullptr;
    free_.reserve(pages_.size() + 1);  // so that give_back never allocates
    pages_.emplace_back(page_bytes_);
    if (lock_) lock_->lock({pages_.back().data(), static_cast<size_t>(page_bytes_)});
    return pages_.back().data();
  }
  std::byte* page = free_.back();
  free_.pop_back();
  return page;
}

void PagePool::trim() {
  SKALD_ASSERT(taken() == 0);
  free_.clear();
  pages_.clear();
}

}  // namespace skald
