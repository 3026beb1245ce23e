// KvSequence: one sequence's states: page tables, recurrent states, and its length.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kv/cache.h"

namespace skald {

class KvSequence {
 public:
  /// `cache` must outlive the sequence.
  explicit KvSequence(KvCache& cache);
  /// What was moved from is empty.
  KvSequence(KvSequence&& other) noexcept;
  KvSequence& operator=(KvSequence&& other) noexcept;
  ~KvSequence() = default;

  /// Makes room for keys up to position `n` that only this sequence sees; false when a pool has too few pages: then the
  /// sequence has no more room than before. A page that is shared and not full is copied first, and so are shared recurrent
  /// states.
  bool reserve(int64_t n);
  /// Gives back what was reserved beyond the length.
  void unreserve() { give_back_from(length_); }
  /// The step that filled keys up to here is done. Pages that no window needs any more go back.
  void set_length(int64_t n);
  /// Forgets the keys from position `n` on and returns their pages. False, and nothing changes, where that cannot be right:
  /// where a window has given back keys that position n sees (KvLimits::rollback says how many tokens it can go back from
  /// the greatest length that it had), or values whose sum sparse decoding must make again; where a key was dropped behind
  /// n, a recurrent state is past n, or n lies within a prefix. n = 0 always works.
  bool truncate(int64_t n);
  /// Context shift: forgets the `n` oldest keys behind the first `keep`. What is kept stays where it is, untouched.
  /// 0 <= keep, the same in every call; 0 < n, keep + n <= held(). Not for sequences with a prefix.
  void drop(int64_t keep, int64_t n);

  /// Another sequence with the same past. Both share what there is; whoever goes on first copies the last page if it is not
  /// full. Throws kUnsupported for a cache with an index of keys, whose runs cannot be shared.
  KvSequence fork() const;

  /// The first `n` tokens of an empty sequence are to see each other in both directions. One step must append them all, and
  /// whoever truncates or shares the sequence keeps all of them or none: their keys depend on each other.
  void set_prefix(int64_t n);
  int64_t prefix() const { return prefix_; }

  /// Keys appended so far: the position of the next one.
  int64_t length() const { return length_; }
  /// Keys that are still there, windows aside.
  int64_t held() const { return length_ - dropped_; }
  /// Keys dropped; a kept key lies so much nearer to the others than their positions say.
  int64_t dropped() const { return dropped_; }

  /// The view of an attention's slot with this sequence's pages; valid until the next change.
  KvView view(int64_t slot) const;
  /// The floats of a recurrent slot, which a step may write to after reserve(); valid until the next change.
  float* recurrent(int64_t slot) const;

 private:
  struct Table {
    std::vector<PageRef> pages = {};
    std::vector<std::byte*> places = {};      // where the pages lie
    std::vector<PageRef> runs = {};           // of the key index, empty where all of their keys are gone
    std::vector<std::byte*> run_places = {};  // null for those
    int64_t kept = 0, begin = 0, shift = 0;   // as in KvView
  };
  bool reserve(size_t group, int64_t n);
  bool reserve_runs(size_t group, int64_t n);
  bool own_last_page(size_t group);
  void forget_runs(size_t group);
  void give_back_from(int64_t n);
  void erase_pages(Table& t, size_t from, size_t to);
  void forget_before(size_t group, int64_t slot);
  bool can_end_at(int64_t n) const;
  bool can_sum_again(size_t group, int64_t n) const;

  KvCache* cache_;
  int64_t length_ = 0, dropped_ = 0, prefix_ = 0;
  std::vector<Table> tables_;  // (groups)
  RecurrentPool::Block recurrent_;
};

}  // namespace skald
