// KvSequence: one sequence's page table and length.
#pragma once

#include <cstdint>
#include <vector>

#include "kv/page_pool.h"

namespace skald {

class KvSequence {
 public:
  /// `pool` must outlive the sequence.
  KvSequence(PagePool& pool, int64_t page_keys) : pool_(&pool), page_keys_(page_keys) {}
  KvSequence(KvSequence&& other) noexcept;
  KvSequence& operator=(KvSequence&&) = delete;
  ~KvSequence() { truncate(0); }

  /// Makes room for `n_keys` keys in all; false (and nothing changed) when the pool has too few pages.
  bool reserve(int64_t n_keys);
  /// The step that filled keys up to here is done.
  void set_length(int64_t n_keys) { length_ = n_keys; }
  /// Forgets the keys from `n_keys` on and returns their pages.
  void truncate(int64_t n_keys);

  int64_t length() const { return length_; }
  std::byte* const* pages() const { return pages_.data(); }

 private:
  PagePool* pool_;
  int64_t page_keys_;
  int64_t length_ = 0;
  std::vector<std::byte*> pages_;
};

}  // namespace skald
