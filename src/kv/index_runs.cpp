#include "kv/index_runs.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/reserve_more.h"
#include "kv/cache.h"

namespace skald {
namespace {

bool begins_block(const KvGroup& group, int64_t position) { return position % group.run_keys == 0; }

// Of a run that begins at `position`: runs do not go on over a block's end.
int64_t end_of(const KvGroup& group, int64_t position) {
  if (begins_block(group, position)) return position + group.run_keys;
  return std::min(position + group.short_keys, round_up(position, group.run_keys));
}

// The sums of the block so far go on in `to`: those of `from`, or none yet.
void begin_sums(DeviceMemory& memory, const KvSpec& spec, const KvGroup& group, const IndexRun* from, const IndexRun& to) {
  std::vector<DeviceMemory::Piece> copies;
  for (const int64_t slot : group.slots) {
    const KeyIndexView& index = spec.views[static_cast<size_t>(slot)].index;
    const AttentionState& attention = spec.attention(slot);
    const int64_t values = kv_columns(*spec.v_format, attention.d_v) * static_cast<int64_t>(sizeof(float));
    const int64_t bytes = static_cast<int64_t>(sizeof(ValueSum)) + values;
    for (int64_t head = 0; head < attention.n_kv_heads; ++head) {
      auto* sum = reinterpret_cast<std::byte*>(&index.sum(to, head));
      if (from)
        copies.push_back({sum, reinterpret_cast<const std::byte*>(&index.sum(*from, head)), bytes});
      else
        memory.clear(sum, bytes);
    }
  }
  memory.copy_all(copies);
}

}  // namespace

// runs_.size() where no run holds it.
size_t IndexRuns::run_at(int64_t position) const {
  const auto holds = [position](const IndexRun& run) { return run.first <= position && position < run.end; };
  return static_cast<size_t>(std::ranges::find_if(runs_, holds) - runs_.begin());
}

// From where on a sequence of this length has no run of its own. A page's keys come into the index when it is full.
int64_t IndexRuns::own_from(int64_t length) const {
  const int64_t page = length - length % kPageKeys;
  const size_t at = run_at(page);
  return at < runs_.size() && refs_[at].shared() ? page : end_;
}

IndexRuns::Need IndexRuns::need(const KvGroup& group, int64_t length, int64_t n) const {
  Need need;
  if (!group.has_index()) return need;
  for (int64_t at = own_from(length); at < n; at = end_of(group, at))
    ++(begins_block(group, at) ? need.long_runs : need.short_runs);
  return need;
}

void IndexRuns::reserve(KvCache& cache, size_t group, int64_t length, int64_t n) {
  const KvGroup& g = cache.spec().groups[group];
  if (!g.has_index()) return;
  for (size_t i = 0; i < runs_.size(); ++i) runs_[i].shared = refs_[i].shared();
  const int64_t from = own_from(length);
  // What holds the sums of the block that the first new run lies in.
  const IndexRun* sums = nullptr;
  if (!runs_.empty()) sums = from < end_ ? &runs_[run_at(from)] : &runs_.back();
  std::vector<Entry> taken;  // before any is given up: without memory nothing changes
  for (int64_t at = from; at < n; at = taken.back().run.end) {
    const RunLength length_of = begins_block(g, at) ? RunLength::kLong : RunLength::kShort;
    PageRef ref = cache.index_pool(group, length_of).take();
    SKALD_ASSERT(ref);
    const IndexRun run{ref.data(), at, at, end_of(g, at), length_of};
    const bool goes_on = sums && sums->first >= at - at % g.run_keys && !begins_block(g, at);
    if (g.value_sums) begin_sums(cache.memory_of_group(group), cache.spec(), g, goes_on ? sums : nullptr, run);
    taken.push_back({std::move(ref), run});
    sums = &taken.back().run;
  }
  if (taken.empty()) return;
  reserve_more(refs_, taken.size());
  reserve_more(runs_, taken.size());
  if (from < end_) cut(from);
  for (const Entry& entry : taken) append(entry);
}

// The runs go up to this page, the end of none or within one.
void IndexRuns::cut(int64_t page) {
  give_back_from(page);
  if (!runs_.empty()) runs_.back().end = std::min(runs_.back().end, page);
  end_ = page;
}

void IndexRuns::append(const Entry& entry) {
  const IndexRun& run = entry.run;
  if (!runs_.empty() && runs_.back().data == run.data && runs_.back().end == run.first) {
    end_ = runs_.back().end = run.end;
    return;
  }
  reserve_more(runs_, 1);  // both, or none
  refs_.push_back(entry.ref);
  runs_.push_back(run);
  end_ = run.end;
}

void IndexRuns::give_back_from(int64_t n) {
  while (!runs_.empty() && runs_.back().first >= n) {
    end_ = runs_.back().first;
    runs_.pop_back();
    refs_.pop_back();
  }
}

int64_t IndexRuns::owned(RunLength length) const {
  int64_t n = 0;
  for (size_t i = 0; i < runs_.size(); ++i) n += runs_[i].length == length && !refs_[i].used_by_others();
  return n;
}

// A block's last run has the sum of the whole block, kept keys too.
void IndexRuns::forget(const KvGroup& group, int64_t from, int64_t to) {
  for (size_t i = 0; i < runs_.size();) {
    const int64_t block = runs_[i].first - runs_[i].first % group.run_keys;
    const bool last = i + 1 == runs_.size() || runs_[i + 1].first >= block + group.run_keys;
    const int64_t begin = last ? block : runs_[i].first;
    if (begin < from || runs_[i].end > to) {
      ++i;
      continue;
    }
    runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(i));
    refs_.erase(refs_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace skald
