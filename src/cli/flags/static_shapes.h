// The flags of execution with fixed shapes.
#pragma once

#include <vector>

#include "cli/flags/common.h"
#include "skald/static_params.h"

namespace skald {

struct StaticFlags {
  int64_t context = 0;
  float reserve = 2.0f;
  int bits = 16;
  std::vector<float> scales;

  void declare(Flags& flags);
  /// Off without --static. Throws UsageError for values out of range, and for the other flags without --static.
  StaticParams checked(const Flags& flags) const;
};

}  // namespace skald
