// StaticKvSpec: the KV cache of a graph with fixed shapes, and how many bytes it takes.
//
// Such a graph is compiled once for a context of S keys. For each KV head it takes the past keys (1, 1, S-1, d),
// left-padded, and gives the step's key (1, 1, 1, d); values alike. Each of these tensors has a reserve of memory in which
// the window of S-1 rows moves: the step's row lands directly after the window, so that appending moves nothing and
// shifting is an increment of a pointer. At the end of the reserve the window is copied back to its beginning.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/format.h"
#include "tensor/state_spec.h"

namespace skald {

/// Rows of a reserve, as a multiple of the window's: 2 or 1.5.
enum class StaticReserve : uint8_t { kDouble, kOneAndHalf };

/// Throws kBadInput for other factors.
StaticReserve static_reserve(double factor);

/// Returns the format of elements of this many bytes: i8 (whose scales the graph knows), f16 or f32. Throws kBadInput for
/// others.
const Format& static_kv_format(int64_t element_bytes);

struct StaticKvSpec {
  std::vector<AttentionState> layers;  // a layer's own window is left to the attention mask
  int64_t context = 0;                 // S: keys that a query can see, its own among them; 2 or more
  int64_t element_bytes = 2;           // 1, 2 or 4
  StaticReserve reserve = StaticReserve::kDouble;

  int64_t window_rows() const { return context - 1; }
  /// Rows after the window: how many steps there are from one copy to the next. S-1 with a reserve of 2 and (S-1)/2,
  /// rounded down, with 1.5: of an odd number of rows, half a row at the end of the reserve stays unused. At least one,
  /// since the step's row needs a place: S = 2 takes two rows with either reserve.
  int64_t spare_rows() const;
};

struct StaticKvSize {
  int64_t bytes = 0;                       // of all reserves
  int64_t key_bytes = 0, value_bytes = 0;  // the two parts of it
  int64_t token_bytes = 0;                 // one row of every head and layer, key and value
  int64_t window_bytes = 0;                // what the graph reads: S-1 of these
};

/// The bytes of one tensor's reserve with rows of `d`: factor * (S-1) * d elements, rounded up to whole ones, and at least
/// S * d. Throws kBadInput on overflow.
int64_t static_reserve_bytes(const StaticKvSpec& spec, int64_t d);

/// Throws kBadInput saying what is wrong with the spec, or that it is too large.
StaticKvSize static_kv_size(const StaticKvSpec& spec);

}  // namespace skald
