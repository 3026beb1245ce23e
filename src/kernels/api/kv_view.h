// KvView: where one sequence's keys and values of one layer lie. Plain pointers and strides, so that every cache layout
// (paged now; ring, static) is served by the same attention kernel.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skald {

/// Pages may not be larger: kernels keep one page's scores.
inline constexpr int64_t kMaxPageKeys = 1024;

struct KvRun {
  const std::byte* k;  // (n, d_k), rows `k_row_stride` bytes apart
  const std::byte* v;  // (n, d_v), rows `v_row_stride` bytes apart
  int64_t n;           // contiguous keys
};

struct KvView {
  std::byte* const* pages = nullptr;  // page p holds the keys [p * page_keys, (p + 1) * page_keys)
  int64_t page_keys = 0;
  int64_t k_offset = 0, v_offset = 0;            // bytes from a page's start to this layer's K and V
  int64_t k_head_stride = 0, v_head_stride = 0;  // bytes between KV heads
  int64_t k_row_stride = 0, v_row_stride = 0;    // bytes between keys
  uint32_t k_format = 0, v_format = 0;           // format ids

  /// (Inlined always: kernels of every instruction set include this file, and no copy may outlive its own.)
  /// The stored keys from `key` on that are contiguous, at most up to `end`.
  [[gnu::always_inline]] KvRun run(int64_t head, int64_t key, int64_t end) const {
    const int64_t left = page_keys - key % page_keys;
    return {k_row(head, key), v_row(head, key), end - key < left ? end - key : left};
  }
  [[gnu::always_inline]] std::byte* k_row(int64_t head, int64_t key) const {
    return pages[key / page_keys] + k_offset + head * k_head_stride + key % page_keys * k_row_stride;
  }
  [[gnu::always_inline]] std::byte* v_row(int64_t head, int64_t key) const {
    return pages[key / page_keys] + v_offset + head * v_head_stride + key % page_keys * v_row_stride;
  }
};

/// The caches that a step works on: views[layer * n_seqs + seq], and each row's sequence.
struct KvBatch {
  const KvView* views = nullptr;
  int64_t n_seqs = 0;
  const int32_t* row_seq = nullptr;  // (tokens)

  [[gnu::always_inline]] const KvView& of_row(int64_t layer, int64_t row) const {
    return views[layer * n_seqs + row_seq[row]];
  }
};

}  // namespace skald
