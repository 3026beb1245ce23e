// KeyIndexView: where one sequence's key index of one layer lies, in runs that sequences may share.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/api/key_index.h"

namespace skald {

/// Runs come in two lengths: long ones stream best; a branch that leaves a shared run goes on in short ones.
enum class RunLength : uint8_t { kLong, kShort };

/// Where one layer's index lies in a run of one length.
struct IndexPlace {
  int64_t run_keys = 0;     // a multiple of kPageKeys
  int64_t offset = 0;       // bytes from a run's start to this layer
  int64_t head_stride = 0;  // bytes between heads: columns (d_k), then sums, then bounds
  int64_t sums = 0;         // bytes from a head's columns to its ValueSum; 0: none
  int64_t bounds = 0;       // likewise to its pages' bounds; 0: none
};

/// The part of a run that holds the positions [first, end), multiples of kPageKeys.
struct IndexRun {
  std::byte* data = nullptr;
  int64_t base = 0;  // the position that the run's columns begin with, <= first
  int64_t first = 0, end = 0;
  RunLength length = RunLength::kLong;
  bool shared = false;  // with other sequences: no sequence writes to it
};

/// Followed by the sum (d_v floats) of the values of a block's first keys, as they are cached, in the order of positions.
struct ValueSum {
  int64_t end;    // keys from the block's start that were added, or had been dropped when the sum was made
  int64_t count;  // values in the sum
  [[gnu::always_inline]] float* values() { return reinterpret_cast<float*>(this + 1); }
};

/// Of a page's keys of d components: f16 (2, d), the largest numbers, then the least ones.
[[gnu::always_inline]] constexpr int64_t bounds_bytes(int64_t d) { return 2 * d * int64_t{sizeof(uint16_t)}; }

/// Keys are addressed by position. Runs are in order; those whose keys were all dropped are absent. Positions are cut into
/// blocks of the length of a long run, so that sums do not depend on runs. The last run of a block holds its sum.
struct KeyIndexView {
  KeyIndex kind = KeyIndex::kNone;
  std::array<IndexPlace, 2> places = {};  // by RunLength
  const IndexRun* runs = nullptr;
  int64_t n_runs = 0;

  const IndexPlace& place(RunLength length) const { return places[static_cast<size_t>(length)]; }
  int64_t block_keys() const { return place(RunLength::kLong).run_keys; }
  bool has_bounds() const { return place(RunLength::kLong).bounds != 0; }
  bool has_sums() const { return place(RunLength::kLong).sums != 0; }
  IndexColumns columns(RunLength length) const { return {place(length).run_keys, kind}; }

  /// Returns the last run that begins at or before the position; null when there is none.
  const IndexRun* last_from(int64_t position) const {
    const IndexRun* after =
        std::upper_bound(runs, runs + n_runs, position, [](int64_t p, const IndexRun& run) { return p < run.first; });
    return after == runs ? nullptr : after - 1;
  }
  /// Returns the run that holds the position, which must be there.
  const IndexRun& run_of(int64_t position) const { return *last_from(position); }
  /// Returns the run that holds the sum of the block that begins at `block`; null when all of its runs are gone.
  const IndexRun* sum_run(int64_t block) const {
    const IndexRun* last = last_from(block + block_keys() - 1);
    return last && last->first >= block ? last : nullptr;
  }
  /// Returns a head's columns in a run.
  std::byte* head(const IndexRun& run, int64_t head) const {
    return run.data + place(run.length).offset + head * place(run.length).head_stride;
  }
  /// (pages of the run, bounds_bytes)
  std::byte* bounds(const IndexRun& run, int64_t at_head) const { return head(run, at_head) + place(run.length).bounds; }
  ValueSum& sum(const IndexRun& run, int64_t at_head) const {
    return *reinterpret_cast<ValueSum*>(head(run, at_head) + place(run.length).sums);
  }
};

}  // namespace skald
