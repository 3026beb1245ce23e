// KvSequence: one sequence's page tables and length.
#pragma once

#include <cstdint>
#include <vector>

#include "kv/cache.h"

namespace skald {

class KvSequence {
 public:
  /// `cache` must outlive the sequence.
  explicit KvSequence(KvCache& cache);
  KvSequence(KvSequence&& other) noexcept;
  KvSequence& operator=(KvSequence&&) = delete;
  ~KvSequence() { truncate(0); }

  /// Makes room for keys up to position `n`; false (and nothing changed) when a pool has too few pages.
  bool reserve(int64_t n);
  /// The step that filled keys up to here is done. Pages that no window needs any more go back.
  void set_length(int64_t n);
  /// Forgets the keys from position `n` on and returns their pages. n = 0, or not below a dropped position. A window does
  /// not go back: keys that had left it stay away.
  void truncate(int64_t n);
  /// Context shift: forgets the `n` oldest keys behind the first `keep`. What is kept stays where it is, untouched.
  /// 0 <= keep, the same in every call; 0 < n, keep + n <= held(). Not for sequences with a prefix.
  void drop(int64_t keep, int64_t n);

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

  /// The layer's view with this sequence's pages; valid until the next change.
  KvView view(int64_t layer) const;

 private:
  struct Table {
    std::vector<std::byte*> pages;
    std::vector<std::byte*> runs = {};       // of the key index, null where all of their keys are gone
    int64_t kept = 0, begin = 0, shift = 0;  // as in KvView
  };
  bool reserve(size_t group, int64_t n);
  bool reserve_runs(size_t group, int64_t n);
  void forget_runs(size_t group);
  void give_back(size_t group, size_t from, size_t to);
  void forget_before(size_t group, int64_t slot);

  KvCache* cache_;
  int64_t length_ = 0, dropped_ = 0, prefix_ = 0;
  std::vector<Table> tables_;  // (groups)
};

}  // namespace skald
