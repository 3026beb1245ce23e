// SparqPolicy: how the generated rows of one sequence attend in a step.
#pragma once

#include <cstdint>

namespace skald {

struct SparqParams;

struct SparqPolicy {
  const SparqParams* params = nullptr;  // null: densely
  double scale = 1;                     // SparqPart::scale
  const float* shares = nullptr;        // (slots, heads): SparqPart::share of each KV head; null: all are 1
  int64_t heads = 0;                    // of the slot that has the most
  /// (slots, heads, rows of the step): |sparse - dense|^2 of the results of a KV head's query heads. A step that has them
  /// attends densely, too. Null: nothing is measured.
  float* errors = nullptr;
  int64_t rows = 0;

  double share(int64_t slot, int64_t head) const { return shares ? static_cast<double>(shares[slot * heads + head]) : 1; }
  float& error(int64_t slot, int64_t head, int64_t row) const { return errors[(slot * heads + head) * rows + row]; }
};

}  // namespace skald
