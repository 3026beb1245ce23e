// PagePool: the memory of all KV caches of an engine, in pages of equal size that are made when first needed.
#pragma once

#include <cstdint>
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

class PagePool {
 public:
  /// `lock`, which must outlive the pool: what locks its pages in memory as they are made; null: they are not locked.
  PagePool(PageSlab slab, int64_t max_pages, MemoryLock* lock = nullptr) : slab_(slab), max_pages_(max_pages), lock_(lock) {}

  /// A page, or nullptr when all `max_pages` are taken. Throws kNoMemory when the system has none left.
  std::byte* take();
  void give_back(std::byte* page) { free_.push_back(page); }

  /// Gives the memory back to the system; no page may be taken.
  void trim();

  int64_t max_pages() const { return max_pages_; }
  int64_t taken() const { return made_ - static_cast<int64_t>(free_.size()); }
  int64_t page_bytes() const { return slab_.bytes / slab_.pages; }
  /// Pages and bytes held, in use or not.
  int64_t pages() const { return made_; }
  int64_t bytes() const { return static_cast<int64_t>(slabs_.size()) * slab_.bytes; }

 private:
  bool grow();

  PageSlab slab_;
  int64_t max_pages_, made_ = 0;
  MemoryLock* lock_;
  std::vector<Buffer> slabs_;
  std::vector<std::byte*> free_;
};

}  // namespace skald
