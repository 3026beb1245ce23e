// IndexRuns: one sequence's runs of a group's key index. Runs are shared by count and never copied: a sequence that goes on
// from a shared one leaves it at a page's border and takes a run of its own, which is short within a block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/api/index_view.h"
#include "kv/page_pool.h"
#include "kv/spec.h"

namespace skald {

class KvCache;

class IndexRuns {
 public:
  /// A run and its owner.
  struct Entry {
    PageRef ref;
    IndexRun run;
  };
  /// Runs that reserve() would take, by RunLength.
  struct Need {
    int64_t long_runs = 0, short_runs = 0;
  };

  /// For keys up to position n of a sequence of `length`. Groups without an index need none.
  Need need(const KvGroup& group, int64_t length, int64_t n) const;
  /// Room for keys up to position n; the run that the next key goes to has no other owner. The pools must have what need()
  /// says. Throws kNoMemory when the system has none left.
  void reserve(KvCache& cache, size_t group, int64_t length, int64_t n);
  /// Gives back the runs that begin at position n or after.
  void give_back_from(int64_t n);
  /// Gives back the runs whose keys all lie in [from, to), and whose sums of values are not needed.
  void forget(const KvGroup& group, int64_t from, int64_t to);
  /// The next run in order; what goes on in the last one's memory lengthens it.
  void append(const Entry& entry);

  /// Runs of this length.
  int64_t count(RunLength length) const { return std::ranges::count(runs_, length, &IndexRun::length); }
  /// Runs of this length without another user.
  int64_t owned(RunLength length) const;
  /// In order.
  std::span<const IndexRun> runs() const { return runs_; }
  Entry entry(size_t i) const { return {refs_[i], runs_[i]}; }
  size_t size() const { return runs_.size(); }

 private:
  size_t run_at(int64_t position) const;
  int64_t own_from(int64_t length) const;
  void cut(int64_t page);

  std::vector<PageRef> refs_;
  std::vector<IndexRun> runs_;
  int64_t end_ = 0;  // of the last one
};

}  // namespace skald
