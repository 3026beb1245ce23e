// KeyIndex: a second copy of the keys, dimension by dimension in runs of many pages. By it all keys are scored with a few of
// their dimensions (SparQ, arXiv 2312.04985). Runs are long because short pieces of a column do not stream.
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
/// their room empty. Columns are then no power of two apart, and those that are read together do not meet in the same sets
/// of a cache.
struct IndexColumns {
  int64_t run_keys, code_bytes;

  constexpr int64_t scales() const { return run_keys * code_bytes; }  // bytes from a column's start
  constexpr int64_t stride() const { return scales() + run_keys / kPageKeys * int64_t{sizeof(float)}; }  // in bytes
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
