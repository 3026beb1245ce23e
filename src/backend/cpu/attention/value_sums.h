// Sums of a KV head's values by blocks of positions, from which SparQ's mean value is made. Only cached values are added, in
// the order of positions. A mean's bits depend neither on how steps were cut, nor on keys that were taken back, nor on runs
// that sequences share.
#pragma once

#include "kernels/api/kernel_table.h"
#include "kernels/api/kv_view.h"

namespace skald {

/// Does nothing where the cache holds no sums.
class ValueSums {
 public:
  /// `columns` of a cached value.
  ValueSums(const KernelTable& kernels, const KvView& kv, int64_t head, int64_t columns)
      : kernels_(kernels), kv_(kv), head_(head), columns_(columns) {}

  /// Returns whether a block ends before `position`.
  bool ends_block(int64_t position) const { return kv_.index.has_sums() && position % kv_.index.block_keys() == 0; }

  /// Accumulates the values before `position`, no others: missing ones are read from the cache. Sums of shared runs stay as
  /// they are.
  void accumulate(int64_t position) const;

  /// total (columns) = the sum of the values of the blocks that hold positions [first, end), of those before `end`. Values
  /// that are not in the sums yet are added, to a copy in `block` (columns). Returns how many values it is of.
  int64_t sum(int64_t first, int64_t end, float* total, float* block) const;

 private:
  int64_t add(int64_t from, int64_t to, float* out) const;

  const KernelTable& kernels_;
  const KvView& kv_;
  int64_t head_, columns_;
};

}  // namespace skald
