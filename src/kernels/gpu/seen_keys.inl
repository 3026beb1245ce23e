// The keys that a row sees: some kept ones, then those of a range of slots.
#pragma once

#include "kernels/gpu/rows.inl"

namespace skald::gpu {

struct SeenKeys {
  int64_t kept;        // slots from 0 on
  int64_t begin, end;  // slots of the others
  SIMT_DEV int64_t n() const { return kept + end - begin; }
  /// The slot of key i.
  SIMT_DEV int64_t slot(int64_t i) const { return i < kept ? i : begin + i - kept; }
};

/// As KeyWindow has it. Kept keys are seen up to the row's own position.
SIMT_DEV SeenKeys seen_keys(const Window& window, const SequenceKv& kv, int64_t position) {
  const int64_t end = position + 1, size = window.size;
  int64_t begin = size ? at_least<int64_t>(0, end - (window.around ? size / 2 + 1 : size)) : 0;
  if (window.chunk) begin = at_least(begin, position / window.chunk * window.chunk);
  int64_t last = at_least(end, kv.prefix + kv.shift);
  if (window.around && size) last = at_most(last, end + size / 2);
  last -= kv.shift;
  begin = at_most(at_least(kv.begin, begin - kv.shift), last);  // the row may be among those that are kept
  return {at_most(kv.kept, last), begin, last};
}

}  // namespace skald::gpu
