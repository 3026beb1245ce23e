// SparqParams: sparse decoding. All keys are scored with a few query components; only the best ones are attended to,
// exactly. SparQ attention, Ribar et al., arXiv 2312.04985.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace skald {

struct SparqParams {
  int64_t k1 = 0;      // query components that score all keys (r in the paper); 0: dense
  int64_t k2 = 0;      // keys that are then attended to (k in the paper); 0: dense
  double ratio = 0;    // > 0: choose k1 and k2, at any length, for a transfer so many times smaller than dense attention's
  int64_t local = -1;  // most recent keys that are always among them; -1: k2 / 4
  std::optional<bool>
      mean;  // the mean value stands in for the other keys; by default where each query head has its own KV head
  std::string index = "int8";  // dimension-major copy of the keys: int8, f16, or none (slow, no extra memory)

  bool on() const { return ratio > 0 || (k1 > 0 && k2 > 0); }
  /// Throws Error (kBadInput) naming the parameter that is out of range.
  void check() const;
};

}  // namespace skald
