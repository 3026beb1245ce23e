// KvSequence: one sequence's states: page tables, recurrent states, and its length.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kv/cache.h"
#include "kv/index_runs.h"
#include "kv/open_pages.h"
#include "kv/shared_pages.h"

namespace skald {

class KvCheckpoint;

class KvSequence {
 public:
  /// `cache` must outlive the sequence.
  explicit KvSequence(KvCache& cache);
  /// What was moved from is empty.
  KvSequence(KvSequence&& other) noexcept;
  KvSequence& operator=(KvSequence&& other) noexcept;
  ~KvSequence() = default;

  /// The most that it takes at any time on its way to length n, in steps of at most KvLimits::max_rows: a window gives pages
  /// back after each. Of one step, this is what reserve(n) takes; of more, not beyond KvCache::most_of_one().
  KvRoom need(int64_t n) const;
  /// Counts what others could have if this sequence were gone: all that no other sequence uses.
  KvRoom owned() const;
  /// Makes room for keys up to position `n` that only this sequence sees; false, and nothing changes, when a pool has too
  /// little. A page that is shared and not full is copied first, and so are shared recurrent states; a shared run of the
  /// index is left. Throws kNoMemory when the system has none left; then the sequence has no more room than before.
  [[nodiscard]] bool reserve(int64_t n);
  /// Gives back what was reserved beyond the length, for a step that did not begin.
  void unreserve();
  /// The step that filled keys up to here is done. Pages that no window needs any more go back.
  void set_length(int64_t n, KeyOrigin origin = {});
  /// Forgets the keys from position `n` on and returns their pages. False, and nothing changes, where that cannot be right:
  /// where a window has given back keys that position n sees (KvLimits::rollback says how many tokens it can go back from
  /// the greatest length that it had), or values whose sum sparse decoding must make again; where a key was dropped after
  /// n, a recurrent state is past n (a step that failed leaves it so), or n lies within a prefix or a page whose keys before
  /// n are only left as codes (see nearest_end). n = 0 always works.
  [[nodiscard]] bool truncate(int64_t n);
  /// The greatest position at most n (<= length()) that has the keys of its page: n, or where full pages hold codes, the
  /// page's beginning.
  int64_t nearest_end(int64_t n) const;
  /// Whether truncate() may come to say no at a page's border when it has gone on: windows forget, and recurrent states do
  /// not go back.
  bool forgets() const;
  /// Whether truncate() can take back the next `n` tokens, whatever they are.
  bool can_take_back(int64_t n) const;
  /// Forgets everything.
  void clear();
  /// Context shift: forgets the `n` oldest keys after the first `keep`. What is kept stays where it is, untouched.
  /// 0 <= keep, the same in every call; 0 < n, keep + n <= held(). Not for sequences with a prefix.
  void drop(int64_t keep, int64_t n);

  /// Another sequence with the same past. Both share what there is; the one that goes on first copies the last page if it is
  /// not full, and goes on in a run of the index of its own.
  KvSequence fork() const;
  /// Takes over what a fork that has gone on has computed of the pages that both have: the next fork need not.
  void learn_from(const KvSequence& fork);
  /// One that lacks the tokens from position `n` > 0 on, to measure with; none where keys that they see are gone or,
  /// within a page, only left as codes. It sums up again the values that are there, of which a window has given up some.
  std::optional<KvSequence> fork_before(int64_t n) const;
  /// Whether another sequence that is given the same rows, generated ones as such, comes to the same states bit for bit.
  bool can_replay() const { return dropped_ == 0 && cache_->spec().recurrent_floats == 0; }
  /// What restore() goes back to, whatever happens to the sequence until then. Owns pages as a fork does.
  KvCheckpoint checkpoint() const;
  void restore(const KvCheckpoint& checkpoint);

  /// The tokens from position `from` (a multiple of kPageKeys) up to `to` <= length(), for others to adopt; fewer where keys
  /// were dropped.
  SharedPages share(int64_t from, int64_t to) const;
  /// Whether others can only take over as many tokens as there were when the pages were shared.
  bool shares_whole() const { return cache_->spec().shares_whole(); }
  /// Keys between places at which share() costs a sequence that goes on nothing. Elsewhere, with an index, it has to take a
  /// short run of its own.
  int64_t sharing_step() const;
  /// For an empty sequence: takes over up to `n` tokens of what others computed, path by path from position 0 on, and says
  /// how many. They end where a key may not be taken (`reuse`), where a window's pages are gone that the next token
  /// sees, and with recurrent slots at a state; a prefix is taken whole, from sequences with the same one.
  int64_t adopt(std::span<const SharedPages> path, int64_t n, const ReusePolicy& reuse);

  /// The first `n` tokens of an empty sequence are to see each other in both directions. One step must append them all, and
  /// a caller that truncates or shares the sequence keeps all of them or none: their keys depend on each other.
  void set_prefix(int64_t n);
  int64_t prefix() const { return prefix_; }

  /// Keys appended so far: the position of the next one.
  int64_t length() const { return length_; }
  /// Keys that are still there, windows aside.
  int64_t held() const { return length_ - dropped_; }
  /// Keys dropped; a kept key lies so much nearer to the others than their positions say.
  int64_t dropped() const { return dropped_; }

  /// Pages of a group that it has, shared ones too.
  int64_t pages(size_t group) const { return std::ssize(tables_[group].pages); }

  /// The view of an attention's slot with this sequence's pages; valid until the next change.
  KvView view(int64_t slot) const;
  /// The floats of a recurrent slot, which a step may write to after reserve(); valid until the next change.
  float* recurrent(int64_t slot) const;

 private:
  friend class SavedSequence;
  friend class SequenceBytes;
  struct Table {
    std::vector<PageRef> pages = {};
    std::vector<std::byte*> places = {};     // where the pages lie
    IndexRuns runs = {};                     // of the key index
    OpenPages open = {};                     // where full pages hold codes
    int64_t kept = 0, begin = 0, shift = 0;  // as in KvView

    void push_back(PageRef page);
  };
  const KvGroup& group(size_t g) const { return cache_->spec().groups[g]; }
  /// Of a group, in KvRoom's order: pages, long runs, short runs, open pages.
  using GroupRoom = std::array<int64_t, 4>;
  Table empty_table(size_t g) const;
  GroupRoom takes(size_t g, int64_t n) const;
  GroupRoom has(size_t g) const;
  KvRoom takes(int64_t n) const;
  int64_t missing_pages(const Table& t, int64_t n) const;
  bool copies_last_page(const Table& t) const;
  bool takes_state() const;
  void take(size_t g, int64_t n);
  PageRef new_page(size_t g, size_t at);
  void own_last_page(size_t g);
  void move_to(int64_t n);
  void note_origin(int64_t from, int64_t to, const KeyOrigin& origin);
  void cut_to(int64_t n);
  void give_back_from(int64_t n);
  void erase_pages(Table& t, size_t from, size_t to);
  void forget_windows();
  void forget_before(size_t g, int64_t slot);
  bool holds_all_before(int64_t n) const;
  bool can_end_at(int64_t n) const;
  bool can_sum_again(size_t g, int64_t n) const;
  SharedPages::Group share(size_t g, int64_t from, int64_t to) const;
  void adopt(size_t g, std::span<const PageRef> pages, std::span<const SharedPages> path, int64_t n);

  /// What backends keep of the keys of pages that are full: never shared, and gone with the first of these pages.
  struct KeyMemo {
    std::vector<std::unique_ptr<DeviceBuffer>> sums;  // (memories); empty: there are none
    int64_t pages = 0;                                // no more are in it
  };
  KeyMemo new_memo() const;
  void copy_memo(const KeyMemo& from);

  KvCache* cache_;
  int64_t length_ = 0, dropped_ = 0, prefix_ = 0;
  std::vector<Table> tables_;  // (groups)
  RecurrentPool::Block recurrent_;
  KeyMemo key_memo_;
  bool stepping_ = false;  // recurrent states are being written
  bool brief_ = false;     // its pages are soon given back
};

/// A sequence as it was.
class KvCheckpoint {
 public:
  int64_t length() const { return at_.length(); }
  /// A sequence that goes on from there.
  KvSequence fork() const { return at_.fork(); }

 private:
  friend class KvSequence;
  explicit KvCheckpoint(KvSequence at) : at_(std::move(at)) {}

  KvSequence at_;
};

}  // namespace skald
