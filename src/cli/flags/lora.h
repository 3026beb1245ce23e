// llama.cpp's flags for adapters (LoRA).
#pragma once

#include <string>
#include <vector>

#include "cli/flags/flags.h"
#include "skald/lora.h"

namespace skald {

struct LoraFlags {
  std::vector<std::string> plain, scaled;
  bool merge = false;

  void declare(Flags& flags);
  /// Those that name files.
  void declare_files(Flags& flags);
  /// Returns them in order, those of --lora first; names of adapters that were got become paths. Throws UsageError for a
  /// scale that is no number, and as find_adapter().
  std::vector<LoraFile> files() const;
};

}  // namespace skald
