// PagePool: the memory of all KV caches of an engine, in pages of equal size that are made when first needed. Pages are
// shared by count: a page is free again when its last owner is gone.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "base/memory_lock.h"
#include "tensor/buffer.h"

namespace skald {

/// Memory that is made at once: pages that lie between each other, each `step` bytes behind the one before, so that what is
/// read together of all of them lies together.
struct PageSlab {
  int64_t bytes = 0;
  int64_t pages = 1;
  int64_t step = 0;
};

class PagePool;

/// One owner of a page; a copy is another one. The pool must outlive it. Empty refs own nothing.
class PageRef {
 public:
  PageRef() = default;
  PageRef(const PageRef& other) : page_(other.page_) {
    if (page_) ++page_->owners;
  }
  PageRef(PageRef&& other) noexcept : page_(std::exchange(other.page_, nullptr)) {}
  PageRef& operator=(PageRef other) noexcept {
    std::swap(page_, other.page_);
    return *this;
  }
  ~PageRef();

  explicit operator bool() const { return page_ != nullptr; }
  std::byte* data() const { return page_->data; }
  /// Whether somebody else owns the page too: then nobody may write to it.
  bool shared() const { return page_->owners > 1; }

 private:
  friend class PagePool;
  struct Page {
    PagePool* pool;
    std::byte* data;
    int64_t owners;
  };
  explicit PageRef(Page* page) : page_(page) { page_->owners = 1; }

  Page* page_ = nullptr;
};

class PagePool {
 public:
  /// `lock`, which must outlive the pool: what locks its pages in memory as they are made; null: they are not locked.
  PagePool(PageSlab slab, int64_t max_pages, MemoryLock* lock = nullptr) : slab_(slab), max_pages_(max_pages), lock_(lock) {}
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

  /// A page of which the caller is the only owner, or an empty ref when all `max_pages` are taken. Throws kNoMemory when the
  /// system has none left.
  PageRef take();

  /// Gives the memory back to the system; no page may be taken.
  void trim();

  int64_t max_pages() const { return max_pages_; }
  int64_t taken() const { return made_ - static_cast<int64_t>(free_.size()); }
  /// Pages that can still be taken.
  int64_t available() const { return max_pages_ - taken(); }
  int64_t page_bytes() const { return slab_.bytes / slab_.pages; }
  /// Pages and bytes held, in use or not.
  int64_t pages() const { return made_; }
  int64_t bytes() const { return static_cast<int64_t>(slabs_.size()) * slab_.bytes; }

 private:
  friend class PageRef;
  bool grow();

  PageSlab slab_;
  int64_t max_pages_, made_ = 0;
  MemoryLock* lock_;
  std::vector<Buffer> slabs_;
  std::deque<PageRef::Page> pages_;
  std::vector<PageRef::Page*> free_;
};

}  // namespace skald
