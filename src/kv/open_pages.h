// OpenPages: the keys of one sequence's last pages as they came, for a group whose full pages hold codes (KeyCodes). A row
// sees the keys of its own page so, and a page that is taken back to needs them again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kv/page_pool.h"

namespace skald {

class KvCache;

class OpenPages {
 public:
  /// Pages that reserve() would take, for keys up to position n of a sequence of `length`. A page that is shared and not
  /// full is copied. Groups without codes need none.
  int64_t need(const KvCache& cache, size_t group, int64_t length, int64_t n) const;
  /// Room for keys up to position n, which only this sequence sees. The pool must have what need() says. Throws kNoMemory
  /// when the system has none left.
  void reserve(KvCache& cache, size_t group, int64_t length, int64_t n);
  /// Whether the next key of a sequence of `length` goes to a page that is copied first.
  bool copies(int64_t length) const { return length % kPageKeys && has(length) && refs_[at(length)].shared(); }
  /// Whether the keys before position n of its page are there: none are needed at a page's border.
  bool can_end_at(int64_t n) const { return n % kPageKeys == 0 || has(n); }

  /// Gives back the pages that begin at position n or after.
  void give_back_from(int64_t n);
  /// Gives back the pages that end at position n or before.
  void forget_before(int64_t n);
  void clear() { forget_before((first_ + count()) * kPageKeys); }

  int64_t count() const { return static_cast<int64_t>(refs_.size()); }
  /// Pages without another user.
  int64_t owned() const;
  /// Where they lie, the first of them with the positions from first() * kPageKeys on.
  std::byte* const* places() const { return places_.data(); }
  int64_t first() const { return first_; }
  const std::vector<PageRef>& pages() const { return refs_; }
  /// The next page in order, `first` the number of the first one.
  void push_back(PageRef page, int64_t first);

 private:
  bool has(int64_t position) const {
    const int64_t page = position / kPageKeys;
    return page >= first_ && page < first_ + count();
  }
  size_t at(int64_t position) const { return static_cast<size_t>(position / kPageKeys - first_); }

  int64_t first_ = 0;  // page of positions
  std::vector<PageRef> refs_;
  std::vector<std::byte*> places_;
};

}  // namespace skald
