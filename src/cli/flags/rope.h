// llama.cpp's flags for position encoding: other values of the model's metadata.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/flags/flags.h"

namespace skald {

struct RopeFlags {
  std::string scaling;
  float scale = 0, freq_base = 0, freq_scale = 0;                           // 0: the model's
  float ext_factor = -1, attn_factor = -1, beta_fast = -1, beta_slow = -1;  // -1: the model's
  int64_t original_context = 0;

  void declare(Flags& flags);
  /// As --override-kv has them; a key that begins with a dot is the architecture's. Throws UsageError for values that make
  /// no sense.
  std::vector<std::string> overrides() const;
};

}  // namespace skald
