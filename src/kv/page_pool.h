// PagePool: the memory of all KV caches of an engine, in pages of equal size that are made when first needed. Pages are
// shared by count: a page is free again when its last owner is gone.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/memory_lock.h"
#include "kv/page_origin.h"
#include "kv/pieces.h"
#include "tensor/device_memory.h"

namespace skald {

/// Memory that is made at once: pages that lie between each other, each `step` bytes after the one before, so that what is
/// read together of all of them lies together.
struct PageSlab {
  int64_t bytes = 0;
  int64_t pages = 1;
  int64_t step = 0;
};

class PagePool;

/// One owner of a page; a copy is another one. The pool must outlive it. Empty refs own nothing. Some owners only keep a
/// page for later (KeptPages) and give it up when room is needed; the others use it.
class PageRef {
 public:
  PageRef() = default;
  PageRef(const PageRef& other) : page_(other.page_) {
    if (page_) add_owner();
  }
  PageRef(PageRef&& other) noexcept : page_(std::exchange(other.page_, nullptr)) {}
  PageRef& operator=(PageRef other) noexcept {
    std::swap(page_, other.page_);
    return *this;
  }
  ~PageRef();

  explicit operator bool() const { return page_ != nullptr; }
  std::byte* data() const { return page_->data; }
  /// Returns whether the page has another owner, too: then it is read-only.
  bool shared() const { return page_->owners > 1; }
  /// Whether others use it; asked of a page in use.
  bool used_by_others() const { return page_->owners - page_->keepers > 1; }
  /// Whether a sequence or a cache holds it.
  bool used() const { return page_->owners > page_->keepers; }
  /// How its keys were made; as the page itself, the sole owner's to change.
  PageOrigin& origin() const { return page_->origin; }

 private:
  friend class PagePool;
  friend class KeptPages;
  struct Page {
    PagePool* pool;
    std::byte* data;
    int64_t number;                   // of the pool's pages
    int64_t owners = 0, keepers = 0;  // keepers are owners
    PageOrigin origin = {};
  };
  void add_owner();
  /// This owner only keeps the page, or uses it again.
  void keep(bool keeps);
  explicit PageRef(Page* page) : page_(page) { page_->owners = 1; }

  Page* page_ = nullptr;
};

class PagePool {
 public:
  /// `lock`, which must outlive the pool: what locks its pages in memory as they are made, null: they are not locked.
  /// So must `memory`, which they lie in.
  PagePool(PageSlab slab, int64_t max_pages, MemoryLock* lock = nullptr, DeviceMemory& memory = host_memory())
      : slab_(slab), max_pages_(max_pages), lock_(lock), memory_(memory) {}
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

  /// A page of which the caller is the only owner, or an empty ref when all `max_pages` are taken. Where it can be, the page
  /// after `before` in its slab; else one with as many free ones after it as can be had. Throws kNoMemory when the system
  /// has none left.
  PageRef take(const PageRef& before = {});
  /// The same for an owner that soon gives it back: the pool grows only where no page is free.
  PageRef take_spare();

  /// The page's bytes, page_bytes() in all, in the same order in every slab of this size of page.
  Strip strip(const PageRef& page) const {
    const int64_t piece = slab_.pages == 1 ? slab_.bytes : slab_.step;
    return {page.data(), piece, page_bytes() / piece, piece * slab_.pages};
  }

  /// Whether `page` lies directly after `before`.
  static bool neighbours(const PageRef& before, const PageRef& page);

  /// Gives the memory back to the system; no page may be taken.
  void trim();

  int64_t max_pages() const { return max_pages_; }
  int64_t taken() const { return made() - free_; }
  /// Pages that are only kept, of those taken.
  int64_t kept() const { return kept_; }
  /// Pages that can still be taken.
  int64_t available() const { return max_pages_ - taken(); }
  int64_t page_bytes() const { return slab_.bytes / slab_.pages; }
  /// Pages and bytes held, in use or not.
  int64_t pages() const { return made(); }
  int64_t bytes() const { return static_cast<int64_t>(slabs_.size()) * slab_.bytes; }

 private:
  friend class PageRef;
  struct Slab {
    std::unique_ptr<DeviceBuffer> memory;
    int64_t pages, free;
  };
  struct Stretch {
    int64_t first = 0, pages = 0;  // numbers of the pool's pages
  };
  int64_t made() const { return static_cast<int64_t>(pages_.size()); }
  bool is_free(int64_t number) const { return pages_[static_cast<size_t>(number)].owners == 0; }
  PageRef take_page(int64_t number);
  void give_back(const PageRef::Page& page);
  void add_pages(int64_t n, std::byte* data);
  bool grow();
  Stretch longest_stretch() const;
  void add_stretches(size_t slab, Stretch& longest) const;

  PageSlab slab_;
  int64_t max_pages_, free_ = 0, kept_ = 0;
  MemoryLock* lock_;
  DeviceMemory& memory_;
  std::vector<Slab> slabs_;
  std::deque<PageRef::Page> pages_;
  std::vector<size_t> empty_slabs_;  // all of their pages are free
};

}  // namespace skald
