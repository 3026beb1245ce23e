#include "backend/cpu/attention/value_sums.h"

#include <algorithm>
#include <array>

namespace skald {

ValueSum& ValueSums::of(int64_t position) const {
  return *reinterpret_cast<ValueSum*>(kv_.index.head(head_, position) + kv_.index.sums);
}

void ValueSums::begin(int64_t position) const {
  if (!kv_.index.sums || position % kv_.index.run_keys) return;
  ValueSum& run = of(position);
  run.end = run.count = 0;
  std::fill_n(run.values(), columns_, 0.0f);
}

// From the last run back to one that is as it should be.
void ValueSums::settle(int64_t position) const {
  const int64_t run_keys = kv_.index.run_keys;
  if (!kv_.index.sums) return;
  for (int64_t end = position; end > 0; end -= (end - 1) % run_keys + 1) {
    const int64_t n = (end - 1) % run_keys + 1, first = end - n;
    if (!kv_.index.runs[first / run_keys]) return;
    ValueSum& run = of(first);
    if (run.end == n) return;
    if (run.end > n) begin(first);
    run.count += add(first + run.end, end, run.values());
    run.end = n;
  }
}

int64_t ValueSums::sum(int64_t first, int64_t end, float* total, float* run) const {
  const int64_t run_keys = kv_.index.run_keys;
  int64_t count = 0;
  std::fill_n(total, columns_, 0.0f);
  for (int64_t at = first - first % run_keys; at < end; at += run_keys) {
    if (!kv_.index.runs[at / run_keys]) continue;
    ValueSum& sum = of(at);
    std::copy_n(sum.values(), columns_, run);
    count += sum.count + add(at + sum.end, std::min(end, at + run_keys), run);
    kernels_.add_scaled(1.0f, run, total, columns_);
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
