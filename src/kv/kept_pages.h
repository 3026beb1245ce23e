// KeptPages: shared pages with which no sequence computes, kept until their room is needed.
#pragma once

#include <cstddef>

#include "kv/shared_pages.h"

namespace skald {

/// The pages and the runs of the index count as kept (PagePool::kept) as long as they have no other owner.
class KeptPages {
 public:
  KeptPages() = default;
  explicit KeptPages(SharedPages pages);
  KeptPages(KeptPages&&) = default;
  KeptPages& operator=(KeptPages&& other) noexcept;
  ~KeptPages();

  const SharedPages& pages() const { return pages_; }
  /// Returns whether some sequence computes with any of it.
  bool used() const;

  /// In place of what it has of the group.
  void set_group(size_t group, SharedPages::Group pages);
  /// Its pages of the group become empty ones. Takes no memory.
  void drop_group(size_t group);
  /// States at its end; none gives up those that are there.
  void set_state(RecurrentPool::Block state) { pages_.recurrent = std::move(state); }

 private:
  static void keep(SharedPages::Group& group, bool keeps);

  SharedPages pages_;
};

}  // namespace skald
