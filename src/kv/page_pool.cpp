#include "kv/page_pool.h"

namespace skald {

std::byte* PagePool::take() {
  if (free_.empty()) {
    if (static_cast<int64_t>(pages_.size()) == max_pages_) return nullptr;
    free_.reserve(pages_.size() + 1);  // so that give_back never allocates
    pages_.emplace_back(page_bytes_);
    return pages_.back().data();
  }
  std::byte* page = free_.back();
  free_.pop_back();
  return page;
}

}  // namespace skald
