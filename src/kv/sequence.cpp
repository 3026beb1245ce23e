#include "kv/sequence.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"

namespace skald {

KvSequence::KvSequence(KvSequence&& other) noexcept
    : pool_(other.pool_),
      page_keys_(other.page_keys_),
      length_(std::exchange(other.length_, 0)),
      pages_(std::exchange(other.pages_, {})) {}

bool KvSequence::reserve(int64_t n_keys) {
  const auto want = static_cast<size_t>(ceil_div(n_keys, page_keys_));
  const size_t had = pages_.size();
  while (pages_.size() < want) {
    std::byte* page = pool_->take();
    if (!page) {
      while (pages_.size() > had) {
        pool_->give_back(pages_.back());
        pages_.pop_back();
      }
      return false;
    }
    pages_.push_back(page);
  }
  return true;
}

void KvSequence::truncate(int64_t n_keys) {
  const auto keep = static_cast<size_t>(ceil_div(n_keys, page_keys_));
  while (pages_.size() > keep) {
    pool_->give_back(pages_.back());
    pages_.pop_back();
  }
  length_ = std::min(length_, n_keys);
}

}  // namespace skald
