#include "backend/cpu/attention/value_sums.h"

#include <algorithm>
#include <array>

namespace skald {

// From the last block back to one that is as it should be.
void ValueSums::accumulate(int64_t position) const {
  if (!kv_.index.has_sums()) return;
  const int64_t block_keys = kv_.index.block_keys();
  for (int64_t end = position; end > 0; end -= (end - 1) % block_keys + 1) {
    const int64_t n = (end - 1) % block_keys + 1, first = end - n;
    const IndexRun* run = kv_.index.sum_run(first);
    if (!run) return;
    ValueSum& sum = kv_.index.sum(*run, head_);
    if (sum.end == n) return;
    if (run->shared) continue;
    if (sum.end > n) {
      sum.end = sum.count = 0;
      std::fill_n(sum.values(), columns_, 0.0f);
    }
    sum.count += add(first + sum.end, end, sum.values());
    sum.end = n;
  }
}

int64_t ValueSums::sum(int64_t first, int64_t end, float* total, float* block) const {
  const int64_t block_keys = kv_.index.block_keys();
  int64_t count = 0;
  std::fill_n(total, columns_, 0.0f);
  for (int64_t at = first - first % block_keys; at < end; at += block_keys) {
    const IndexRun* run = kv_.index.sum_run(at);
    if (!run) continue;
    ValueSum& sum = kv_.index.sum(*run, head_);
    std::copy_n(sum.values(), columns_, block);
    count += sum.count + add(at + sum.end, std::min(end, at + block_keys), block);
    kernels_.add_scaled(1.0f, block, total, columns_);
  }
  return count;
}

// Adds the values of positions [from, to) that were not dropped, and says how many. One at a time: of several, a kernel may
// make a more precise sum first, as the scalar one does.
int64_t ValueSums::add(int64_t from, int64_t to, float* out) const {
  const float one = 1;
  int64_t count = 0;
  for (int64_t position = from; position < to; ++position) {
    const int64_t slot = position < kv_.kept ? position : position - kv_.shift;
    if (position >= kv_.kept && slot < kv_.begin) continue;
    ++count;
    std::array<const std::byte*, 1 + kRowsAhead> row;
    row.fill(kv_.v_row(head_, slot));
    kernels_.values[kv_.v_format]({&one, 1, 1, row.data(), 1, columns_, out, columns_});
  }
  return count;
}

}  // namespace skald
