// Sums of a KV head's values by blocks of positions, from which sparse decoding's mean value is made: see ValueSums of the
// CPU. A thread has a column, and adds values in the order of their positions.
#pragma once

#include "kernels/gpu/cache.inl"
#include "kernels/gpu/key_index.inl"

namespace skald::gpu {

SIMT_DEV bool has_sums(const SequenceIndex& index) { return index.n_runs > 0 && index.places[0].sums != 0; }
SIMT_DEV int64_t block_keys(const SequenceIndex& index) { return index.places[static_cast<int>(RunLength::kLong)].run_keys; }

/// The run that holds the sum of the block that begins at `block`; null where all of its runs are gone.
SIMT_DEV const IndexRun* sum_run(const SequenceIndex& index, int64_t block) {
  const IndexRun* last = last_run_from(index, block + block_keys(index) - 1);
  return last && last->first >= block ? last : nullptr;
}
SIMT_DEV ValueSum* sum_of(const SequenceIndex& index, const IndexRun& run, int64_t head) {
  return reinterpret_cast<ValueSum*>(columns_of(index, run, head) + place_of(index, run).sums);
}
SIMT_DEV float* values_of(ValueSum* sum) { return reinterpret_cast<float*>(sum + 1); }

/// Values at positions [from, to) that were not dropped.
SIMT_DEV int64_t count_values(const SequenceKv& kv, int64_t from, int64_t to) {
  const int64_t first = at_least(from, kv.kept), last = at_most(to, kv.begin + kv.shift);
  return to - from - at_least<int64_t>(last - first, 0);
}
/// Adds their column c to x.
SIMT_DEV float add_values_of(const SequenceKv& kv, int64_t head, int64_t from, int64_t to, int64_t c, float x) {
  for (int64_t position = from; position < to; ++position) {
    const int64_t slot = position < kv.kept ? position : position - kv.shift;
    if (position >= kv.kept && slot < kv.begin) continue;
    x += load_cached(value_of(kv, head, slot), c);
  }
  return x;
}

/// Sums up the values before `position`, no others. Sums of shared runs stay as they are. By all threads.
SIMT_DEV void sum_values(const SequenceKv& kv, int64_t head, int64_t columns, int64_t position) {
  const int64_t each = block_keys(kv.index);
  for (int64_t end = position; end > 0; end -= (end - 1) % each + 1) {
    const int64_t n = (end - 1) % each + 1, first = end - n;
    const IndexRun* run = sum_run(kv.index, first);
    if (!run) return;
    ValueSum* sum = sum_of(kv.index, *run, head);
    const int64_t summed = sum->end, count = sum->count;
    if (summed == n) return;
    if (run->shared) continue;
    const int64_t from = summed > n ? 0 : summed;
    for (int64_t c = simt::thread(); c < columns; c += simt::threads())
      values_of(sum)[c] = add_values_of(kv, head, first + from, end, c, from ? values_of(sum)[c] : 0);
    simt::sync_block();
    if (simt::thread() == 0) {
      sum->count = (from ? count : 0) + count_values(kv, first + from, end);
      sum->end = n;
    }
    simt::sync_block();
  }
}

/// Column c of the mean of the values in the blocks that hold positions [first, end), of those before `end`.
SIMT_DEV float mean_value(const SequenceKv& kv, int64_t head, int64_t first, int64_t end, int64_t c) {
  const int64_t each = block_keys(kv.index);
  float total = 0;
  int64_t count = 0;
  for (int64_t at = first - first % each; at < end; at += each) {
    const IndexRun* run = sum_run(kv.index, at);
    if (!run) continue;
    ValueSum* sum = sum_of(kv.index, *run, head);
    const int64_t from = at + sum->end, to = at_most(end, at + each);
    total += from < to ? add_values_of(kv, head, from, to, c, values_of(sum)[c]) : values_of(sum)[c];
    count += sum->count + (from < to ? count_values(kv, from, to) : 0);
  }
  return total / static_cast<float>(count);
}

}  // namespace skald::gpu
