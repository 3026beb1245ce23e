// KvSpec: what the cache of a whole model holds, and where each slot lies in a page.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/checked.h"
#include "kernels/api/key_codes.h"
#include "kv/layout.h"
#include "kv/page_pool.h"
#include "tensor/state_spec.h"

namespace skald {

/// How keys and values are stored, as users say it.
struct KvStorage {
  std::string k_type = "f16", v_type = "f16";  // f32, f16, bf16, q8_0, q4_0; of keys also kc8, kc4
  std::string layout = "auto";                 // of keys: rows, dims, planes
  bool rotate = true;                          // Hadamard transform of quantised keys and values
  bool single_keys = false;                    // sparse decoding picks them: "auto" puts them in one piece
  KeyIndex index = KeyIndex::kNone;            // for sparse decoding
  bool value_sums = false;                     // likewise
  bool key_sums = false;                       // likewise
  bool page_bounds = false;                    // likewise
};

/// Slots in one memory that need the same keys. A page holds kPageKeys consecutive keys of one sequence for all slots of a
/// group. Pages of a slab lie head by head: all pages' keys and values of a head, then those of the next.
struct KvGroup {
  int64_t window = 0;  // 0: all keys
  size_t memory = 0;   // of the cache's memories
  const KvLayout *k_layout = nullptr, *v_layout = nullptr;
  std::vector<int64_t> slots = {};
  PageSlab slab = {};
  int64_t run_keys = 0;                   // of a long run of the key index, and of a block of positions
  int64_t short_keys = 0;                 // of a short run
  bool value_sums = false;                // runs of the index hold sums of values
  std::array<int64_t, 2> run_bytes = {};  // by RunLength; 0: no index
  int64_t key_bytes = 0;                  // of a slab; the others are values
  int64_t open_bytes = 0;                 // of an open page: keys as they came, where full pages have codes

  bool has_index() const { return run_bytes[0] != 0; }
  bool has_codes() const { return open_bytes != 0; }
};

/// What a sequence keeps in one memory besides its pages.
struct KvShare {
  int64_t recurrent_floats = 0, key_sums_bytes = 0;
};

struct KvSpec {
  std::vector<StateSpec> slots;
  std::string_view k_type = {};
  const Format* k_format = nullptr;  // with codes, of the keys that are none yet
  const Format* v_format = nullptr;
  KeyCodes k_codes = KeyCodes::kNone;
  bool k_rotated = false, v_rotated = false;
  std::vector<KvGroup> groups = {};        // in the order of their first slots
  std::vector<size_t> group_of = {};       // (slots); kNoGroup for recurrent ones
  std::vector<KvView> views = {};          // (slots), without a sequence's pages
  std::vector<size_t> memory_of = {};      // (slots)
  std::vector<KvShare> shares = {};        // (memories), at least one
  std::vector<int64_t> recurrent_at = {};  // (slots): where a recurrent one begins in its sequence's floats in its memory
  int64_t recurrent_floats = 0;            // of a sequence in all memories; 0: no slot is recurrent
  std::vector<int64_t> key_sums_at = {};   // (slots): where those of an attention begin in its sequence's bytes, likewise
  int64_t key_sums_bytes = 0;              // of a sequence in all memories; 0: none are kept

  static constexpr size_t kNoGroup = ~size_t{0};
  const AttentionState& attention(int64_t slot) const { return std::get<AttentionState>(slots[static_cast<size_t>(slot)]); }
  bool is_attention(int64_t slot) const { return group_of[static_cast<size_t>(slot)] != kNoGroup; }
  /// Whether others can only take over a prefix as it ended: recurrent states do not go back, nor do sums of values that a
  /// window has given up.
  bool shares_whole() const;
  /// Whether some slot's full pages hold codes.
  bool has_codes() const { return k_codes != KeyCodes::kNone && !groups.empty(); }
  /// Bytes of a component of a cached key, with its share of what lies apart.
  double key_number_bytes() const;
};

/// Bytes of a component of a cached key of this type, as KvSpec::key_number_bytes(). Throws kBadInput for others.
double key_number_bytes(std::string_view k_type);

/// Of a sequence of this many keys without a window: two more than they fill, those where the first keys end and where the
/// last ones begin.
constexpr int64_t most_pages(int64_t max_keys) { return ceil_div(max_keys, kPageKeys) + 2; }

/// Throws kBadInput for a type that keys or values cannot have or an unknown layout.
void check(const KvStorage& storage);

/// How keys lie in memory that the CPU reads, or a device. Throws as choose_kv_layout() does.
const KvLayout& key_layout(const KvStorage& storage, bool device = false);

/// For sequences of at most `max_keys`: a window that is not shorter is none. `memory_of` names the memory of each slot,
/// counted from 0; empty: all slots lie in one. `memories`: these, whose readers each want a layout; empty: the CPU reads
/// all. Throws as check() and key_layout() do.
KvSpec make_kv_spec(std::vector<StateSpec> slots, const KvStorage& storage, int64_t max_keys,
                    std::vector<size_t> memory_of = {}, const std::vector<DeviceMemory*>& memories = {});

/// "keys f16 by dims, values q8_0 rotated"; of several devices, "keys q8_0 by rows and planes rotated, values f16".
std::string describe(const KvSpec& spec);

}  // namespace skald
