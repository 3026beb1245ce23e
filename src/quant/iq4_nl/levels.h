// The levels of iq4_nl and iq4_xs for encoders.
#pragma once

#include <array>

#include "quant/iq4_nl/block.h"
#include "quant/search/levels.h"

namespace skald {

inline constexpr std::array<float, 16> kIq4Floats = [] {
  std::array<float, 16> out{};
  for (size_t i = 0; i < 16; ++i) out[i] = kIq4Levels[i];
  return out;
}();

using Iq4Levels = Table<kIq4Floats>;

}  // namespace skald
