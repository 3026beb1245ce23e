// KvView: where one sequence's keys and values of one layer lie. Plain pointers and strides, so that every cache layout is
// served by the same attention.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/api/index_view.h"
#include "kernels/api/key_codes.h"
#include "kernels/api/kv_page.h"
#include "kernels/api/sparq_policy.h"

namespace skald {

/// Where the keys of a sequence's last pages lie as they came, in rows: (heads, kPageKeys, d_k) of each page.
struct OpenKeys {
  std::byte* const* pages = nullptr;  // from the page of positions `first` on
  int64_t first = 0;
  int64_t offset = 0, head_stride = 0, stride = 0;  // bytes
};

/// Blocks of the Hadamard transform of rows with n elements: the largest power of two that divides n.
[[gnu::always_inline]] constexpr int64_t hadamard_block(int64_t n) { return n & -n; }

/// Keys are addressed by slot: slot s lies in page s / kPageKeys. A sequence that lost its oldest keys has slots below
/// `kept`, which hold its first keys, and slots from `begin` on, whose key has the position slot + shift.
struct KvView {
  std::byte* const* pages = nullptr;             // of keys
  std::byte* const* v_pages = nullptr;           // of values: the same where a page holds both
  int64_t k_offset = 0, v_offset = 0;            // bytes from a page's start to this layer's K and V
  int64_t k_head_stride = 0, v_head_stride = 0;  // bytes between KV heads
  int64_t k_stride = 0, v_stride = 0;            // bytes between keys, their codes or dimensions, and between values
  uint32_t k_format = 0, v_format = 0;           // format ids
  KeyOrder k_order = KeyOrder::kRows, v_order = KeyOrder::kRows;
  bool k_rotated = false, v_rotated = false;  // stored after a Hadamard transform
  /// With codes, `pages` hold the codes of full pages (CodedPage). A row meets the keys of the pages before its own by their
  /// codes, and the others as they came: `open`, whose rows have k_format.
  KeyCodes k_codes = KeyCodes::kNone;
  OpenKeys open = {};
  int64_t kept = 0;   // slots
  int64_t begin = 0;  // slot, >= kept
  int64_t shift = 0;  // a multiple of kPageKeys
  KeyIndexView index = {};
  bool decode = false;            // this step's rows of the sequence are generated tokens rather than a prompt's
  bool in_order = false;          // keys in rows give the bits that they give by dimensions, and take longer
  int64_t dropped = 0;            // kept keys count as being at positions higher by this
  int64_t prefix = 0;             // slots that every row sees, those before them too
  std::byte* key_sums = nullptr;  // (KV heads) KeySums; null: none are kept

  /// Returns a head's keys of the page that holds `slot`.
  [[gnu::always_inline]] std::byte* k_page(int64_t head, int64_t slot) const {
    return pages[slot / kPageKeys] + k_offset + head * k_head_stride;
  }
  /// Only for KeyOrder::kRows.
  [[gnu::always_inline]] std::byte* k_row(int64_t head, int64_t slot) const {
    return k_page(head, slot) + slot % kPageKeys * k_stride;
  }
  /// Returns a head's keys as they came of the page that holds `slot`, and one of them; only with codes.
  [[gnu::always_inline]] std::byte* open_page(int64_t head, int64_t slot) const {
    return open.pages[(slot + shift) / kPageKeys - open.first] + open.offset + head * open.head_stride;
  }
  [[gnu::always_inline]] std::byte* open_row(int64_t head, int64_t slot) const {
    return open_page(head, slot) + slot % kPageKeys * open.stride;
  }
  [[gnu::always_inline]] std::byte* v_row(int64_t head, int64_t slot) const {
    return v_pages[slot / kPageKeys] + v_offset + head * v_head_stride + slot % kPageKeys * v_stride;
  }
};

/// The states that a step works on, of slot s and sequence q at [s * n_seqs + q], and each row's sequence.
struct KvBatch {
  const KvView* views = nullptr;      // empty ones for recurrent slots
  float* const* recurrent = nullptr;  // null for slots of attention
  int64_t n_seqs = 0;
  const int32_t* row_seq = nullptr;  // (tokens); rows of a sequence are neighbours
  /// (n_seqs), where the graph decodes sparsely; null: all rows attend densely.
  const SparqPolicy* sparq = nullptr;

  [[gnu::always_inline]] const KvView& of_row(int64_t slot, int64_t row) const {
    return views[slot * n_seqs + row_seq[row]];
  }
  /// How a generated row attends; null: densely.
  [[gnu::always_inline]] const SparqPolicy* sparq_of_row(int64_t row) const {
    const SparqPolicy* const of = sparq ? sparq + row_seq[row] : nullptr;
    return of && of->params ? of : nullptr;
  }
  /// Of a recurrent slot.
  float* state(int64_t slot, int64_t sequence) const { return recurrent[slot * n_seqs + sequence]; }
};

}  // namespace skald
