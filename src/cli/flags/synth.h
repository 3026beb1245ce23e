// --shape, --type and --layers: models of random weights.
#pragma once

#include <string>

#include "cli/flags/flags.h"
#include "tools/synth/synth_recipe.h"

namespace skald {

struct SynthFlags {
  SynthSpec spec{.shape = {}, .type = "q8_0"};

  /// `type_help` is what --type is for, before the list of types.
  void declare(Flags& flags, const std::string& type_help);
  static std::string known_shapes();  // "llama-2-7b, ..."
};

}  // namespace skald
