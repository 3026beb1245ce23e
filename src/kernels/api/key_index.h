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
  kInt8,  // to be multiplied by a scale per dimension and page of keys: max |k| / 127
  kInt4,  // 0 to 15: centre + (code - 7.5) * scale, the middle of a page's numbers and a fifteenth of their range
};
inline constexpr size_t kKeyIndexes = 4;

/// A column is one dimension of a run's keys: run_keys codes, then each page's scale, then for kInt4 each page's centre.
/// kF16 leaves the room of scales empty. Columns are an odd number of lines apart: those that are read together meet in all
/// sets of a cache. A page's 32 bytes of kInt4 have the codes of its first keys in their low halves, in
/// order, and those of the others in the high ones (as KIVI, arXiv 2402.02750, quantises keys: by dimension).
struct IndexColumns {
  int64_t run_keys;
  KeyIndex kind;

  /// Bytes that a dimension of a key takes, with its share of the page's numbers.
  static constexpr double bytes_per_key(KeyIndex kind) {
    constexpr double kNumber = double{sizeof(float)} / kPageKeys;
    return kind == KeyIndex::kF16 ? 2 : kind == KeyIndex::kInt4 ? 0.5 + 2 * kNumber : 1 + kNumber;
  }
  /// Bytes of the codes of `keys`, a multiple of kPageKeys, and of the numbers of their pages.
  constexpr int64_t codes(int64_t keys) const {
    return kind == KeyIndex::kF16 ? 2 * keys : kind == KeyIndex::kInt4 ? keys / 2 : keys;
  }
  static constexpr int64_t numbers(int64_t keys) { return keys / kPageKeys * int64_t{sizeof(float)}; }

  constexpr int64_t scales() const { return codes(run_keys); }  // bytes from a column's start
  constexpr int64_t centres() const { return scales() + numbers(run_keys); }
  constexpr bool has_centres() const { return kind == KeyIndex::kInt4; }
  constexpr int64_t bytes() const { return centres() + (has_centres() ? numbers(run_keys) : 0); }
  constexpr int64_t stride() const { return ((bytes() + 63) / 64 | 1) * 64; }  // bytes between columns
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
