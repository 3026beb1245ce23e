// -r: the texts before which a generated text ends.
#pragma once

#include <string>
#include <vector>

#include "cli/flags/flags.h"

namespace skald {

struct StopFlags {
  std::vector<std::string> texts;

  void declare(Flags& flags);
  /// With their escapes replaced, if `escape`. Throws UsageError for an empty or too long text, or too many.
  std::vector<std::string> checked(bool escape) const;
};

}  // namespace skald
