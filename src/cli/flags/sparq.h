// The flags of sparse decoding, with the names of its first description for llama.cpp.
#pragma once

#include <optional>

#include "cli/flags/common.h"
#include "skald/sparq_params.h"

namespace skald {

struct SparqFlags {
  bool on = false, mean = false, no_mean = false, default_layout = false;
  int64_t k1 = 0, k2 = 0, local = -1;
  float ratio = 0;
  bool even = false;
  std::string choice = "spread", index = "auto", selector = "sparq", loss;
  std::optional<Flags> declared = {};  // says which were given

  void declare(Flags& flags);
  /// Dense without --sparq. Throws UsageError for values out of range and flags that contradict each other.
  SparqParams checked(const ComputeFlags& compute) const;
};

}  // namespace skald
