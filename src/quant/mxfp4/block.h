// mxfp4: 32 floats of four bits (E2M1) with one power of two (OCP Microscaling Formats 1.0); value i is 2^(e - 127) times
// half of kMxfp4Levels' value.
#pragma once

#include <bit>
#include <cstdint>

#include "quant/panel_groups.h"

namespace skald {

/// Twice the value of each E2M1 code.
inline constexpr int8_t kMxfp4Levels[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/// Plus 16.
consteval PanelLevels mxfp4_panel_levels() { return {{16, 17, 18, 19, 20, 22, 24, 28, 16, 15, 14, 13, 12, 10, 8, 4}}; }

struct BlockMxfp4 {
  static constexpr uint32_t kId = 39;  // GGUF tensor type
  static constexpr int kSize = 32;     // elements per block
  using Group = ExponentsGroup<PanelCodes<4, 0>, 4>;
  static constexpr int kOffset = 16, kMaxCode = 31;  // of panels: codes are numbers of levels
  static consteval PanelLevels levels() { return mxfp4_panel_levels(); }
  uint8_t e;      // exponent
  uint8_t q[16];  // low nibbles: elements 0 to 15; high nibbles: elements 16 to 31
};
static_assert(sizeof(BlockMxfp4) == 17);

/// 2^(e - 128), also where that is denormal: the factor of the doubled levels.
inline float mxfp4_scale(uint8_t e) {
  return std::bit_cast<float>(e < 2 ? uint32_t{0x00200000} << e : uint32_t{e - 1u} << 23);
}

/// For the kernels over panels.
using paneled_mxfp4 = BlockMxfp4;

}  // namespace skald
