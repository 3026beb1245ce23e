// KeyIndex: a second copy of the keys, dimension by dimension in runs of many pages, by which all keys are scored with a few
// of their dimensions (SparQ, arXiv 2312.04985). Runs are long because short pieces of a column do not stream.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/api/kv_page.h"

namespace skald {

enum class KeyIndex : uint8_t {
  kNone,
  kF16,
  kInt8,  // to be multiplied by a scale per dimension and page of keys
};

/// A column is one dimension of a run's keys: run_keys codes, then, for bytes, each page's scale max |k| / 127. kF16 leaves
/// their room empty: so columns are no power of two apart, and those that are read together do not meet in the same sets of
/// a cache.
struct IndexColumns {
  int64_t run_keys, code_bytes;

  constexpr int64_t scales() const { return run_keys * code_bytes; }  // bytes from a column's start
  constexpr int64_t stride() const { return scales() + run_keys / kPageKeys * int64_t{sizeof(float)}; }  // in bytes
};

/// Where one layer's index lies. Keys are addressed by position: run r holds [r * run_keys, (r + 1) * run_keys).
struct KeyIndexView {
  KeyIndex kind = KeyIndex::kNone;
  std::byte* const* runs = nullptr;  // null entries where all keys were dropped
  int64_t run_keys = 0;              // a multiple of kPageKeys
  int64_t offset = 0;                // bytes from a run's start to this layer
  int64_t head_stride = 0;           // bytes between heads: columns (d_k), then sums
  int64_t sums = 0;                  // bytes from a head's columns to its ValueSum; 0: none

  [[gnu::always_inline]] std::byte* head(int64_t head, int64_t position) const {
    return runs[position / run_keys] + offset + head * head_stride;
  }
  IndexColumns columns() const { return {run_keys, kind == KeyIndex::kF16 ? 2 : 1}; }
};

/// Followed by the sum (d_v floats) of the values of a run's first keys, as they are cached, in the order of positions.
struct ValueSum {
  int64_t end;    // keys from the run's start that were added, or had been dropped when the sum was made
  int64_t count;  // values in the sum
  [[gnu::always_inline]] float* values() { return reinterpret_cast<float*>(this + 1); }
};

/// scores[g, i] = sum over c < k1 of q[g, c] * key i's dimension dims[c], for the keys [first, first + n) of a run.
struct IndexScoresArgs {
  const float* q;  // (group, k1)
  int64_t q_stride, group;
  const int32_t* dims;  // (k1), at most kMaxIndexDims
  int64_t k1;
  const std::byte* run;   // a head's columns
  const std::byte* next;  // those that are scored afterwards, from their first key on; null: none
  int64_t run_keys;
  int64_t first, n;  // multiples of kPageKeys
  float* scores;     // (group, n)
  int64_t scores_stride;
};
inline constexpr int64_t kMaxIndexDims = 1024;

/// A page's keys into the index.
struct StoreIndexArgs {
  const float* panels;      // (kPageKeys / kPanel, panel_d, kPanel)
  int64_t panel_d, d;       // panel_d >= d
  std::byte* run;           // a head's columns
  int64_t run_keys, first;  // the page's first key, of those of the run
};

using IndexScoresFn = void (*)(const IndexScoresArgs&) noexcept;
using StoreIndexFn = void (*)(const StoreIndexArgs&) noexcept;

}  // namespace skald
