// StaticKvManager: the memory of a static graph's KV cache, and where the graph finds its inputs and outputs at each step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kv/static_spec.h"
#include "tensor/buffer.h"

namespace skald {

/// The keys or the values of one head, valid until the manager moves. `input` is where the graph reads, oldest row first and
/// padding before it; `output`, directly after, is where it writes the step's row.
struct StaticWindow {
  std::byte* input;   // (S-1, d)
  std::byte* output;  // (d)
  int64_t row_bytes;
  int64_t head_stride;  // bytes to the next head's window

  /// The newest n rows of the window, (n, d).
  std::byte* newest(int64_t n) const { return output - n * row_bytes; }
};

/// What the manager has done since it was made or reset.
struct StaticKvCounters {
  int64_t tokens = 0;        // appended
  int64_t shifts = 0;        // advance() and append() calls
  int64_t copies = 0;        // shifts that had to copy the windows back
  int64_t copied_bytes = 0;  // by them
};

/// Holds one sequence. All windows move together. A step is: run the graph on the windows, then advance(). The bytes of the
/// elements mean nothing to it, so that they may be floats as well as integers with a scale that the graph knows.
/// Rows of padding are zero bytes and must be masked: for integers with a zero point they are not the number zero.
class StaticKvManager {
 public:
  /// Throws kBadInput for a spec that is wrong or too large, kNoMemory when the system has too little.
  explicit StaticKvManager(StaticKvSpec spec);

  StaticWindow keys(int64_t layer, int64_t head) const { return window(2 * layer, head); }
  StaticWindow values(int64_t layer, int64_t head) const { return window(2 * layer + 1, head); }

  /// The graph has written a row to every output: they become the windows' newest rows. Copies the windows back once in
  /// spec().spare_rows() calls, at most S-1 rows of each.
  void advance() { shift(1, 0); }

  /// Makes room for n rows at once, 1 to S-1, as for a prompt: the caller then writes newest(n) of every window. Copies at
  /// most once, only rows that stay in the window, so nothing into an empty cache. Throws kBadInput for another n.
  void append(int64_t n);

  /// Forgets all tokens; the windows are padding again and the counters zero.
  void reset();

  /// Rows of a window that hold tokens; the S-1 less these before them are padding.
  int64_t valid_rows() const;
  const StaticKvCounters& counters() const { return counters_; }
  const StaticKvSpec& spec() const { return spec_; }
  int64_t bytes() const { return memory_.size(); }
  /// All reserves.
  std::span<const std::byte> memory() const { return {memory_.data(), static_cast<size_t>(memory_.size())}; }

 private:
  /// The reserves of one layer's keys or values, head after head.
  struct Group {
    int64_t offset, heads, reserve_bytes, row_bytes;
  };

  StaticWindow window(int64_t group, int64_t head) const;
  void add_group(int64_t heads, int64_t d);
  /// Moves all windows by n rows, of which the last `unwritten` hold nothing yet.
  void shift(int64_t n, int64_t unwritten);
  /// Rows [first, first + n) of every window to where they are when the window is at the beginning of its reserve.
  void copy_back(int64_t first, int64_t n);

  StaticKvSpec spec_;
  Buffer memory_;
  std::vector<Group> groups_;  // (2 * n_layers): keys and values of layer 0, of layer 1, ...
  int64_t end_ = 0;            // bytes given to groups
  int64_t start_ = 0;          // the windows' first row within their reserves, less than spare_rows()
  StaticKvCounters counters_;
};

}  // namespace skald
