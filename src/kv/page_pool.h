// PagePool: the memory of all KV caches of an engine, in pages of equal size that are made when first needed.
#pragma once

#include <cstdint>
#include <vector>

#include "base/memory_lock.h"
#include "tensor/buffer.h"

namespace skald {

class PagePool {
 public:
  /// `lock`, which must outlive the pool: what locks its pages in memory as they are made; null: they are not locked.
  PagePool(int64_t page_bytes, int64_t max_pages, MemoryLock* lock = nullptr)
      : page_bytes_(page_bytes), max_pages_(max_pages), lock_(lock) {}

  /// A page, or nullptr when all `max_pages` are taken. Throws kNoMemory when the system has none left.
  std::byte* take();
  void give_back(std::byte* page) { free_.push_back(page); }

  /// Gives the memory back to the system; no page may be taken.
  void trim();

  int64_t max_pages() const { return max_pages_; }
  int64_t taken() const { return static_cast<int64_t>(pages_.size() - free_.size()); }
  int64_t page_bytes() const { return page_bytes_; }
  /// Bytes held, in use or not.
  int64_t bytes() const { return static_cast<int64_t>(pages_.size()) * page_bytes_; }

 private:
  int64_t page_bytes_, max_pages_;
  MemoryLock* lock_;
  std::vector<Buffer> pages_;
  std::vector<std::byte*> free_;
};

}  // namespace skald
