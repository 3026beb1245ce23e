// llama.cpp's flags for control vectors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/flags/flags.h"
#include "skald/model.h"

namespace skald {

struct ControlVectorFlags {
  std::vector<std::string> files, scaled;  // FILE,...; FILE:SCALE,...
  int64_t first = 0, last = 0;             // layers; 0: all

  void declare(Flags& flags);
  /// Returns the files with their scales. Throws UsageError naming the flag for an item without a scale.
  std::vector<ControlVector> vectors() const;
  /// Returns the layers that they are for. Throws UsageError for a range without a file.
  LayerRange layers() const;
};

}  // namespace skald
