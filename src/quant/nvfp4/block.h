// nvfp4: 64 floats of four bits (E2M1) in parts of 16, each with an unsigned float of eight bits (E4M3) as its scale.
// Files may have a further scale for the whole tensor, in a tensor of its own (graph/net.h).
#pragma once

#include <bit>
#include <cstdint>

#include "quant/mxfp4/block.h"
#include "quant/panel_groups.h"

namespace skald {

struct BlockNvfp4 {
  static constexpr uint32_t kId = 40;  // GGUF tensor type
  static constexpr int kSize = 64;     // elements per block
  using Group = ShortScalesGroup<PanelCodes<4, 0>, 2>;
  static constexpr int kOffset = 16, kMaxCode = 31;  // of panels: codes are numbers of levels
  static consteval PanelLevels levels() { return mxfp4_panel_levels(); }
  uint8_t d[4];     // of parts
  uint8_t q[4][8];  // of parts: low nibbles are elements 0 to 7, high nibbles 8 to 15
};
static_assert(sizeof(BlockNvfp4) == 36);

/// Returns the factor of kMxfp4Levels, half of the E4M3 value, as an f16: exact, and zeros in the last seven bits. Bit 7 of
/// d says nothing, but that 0x7f, which is no number, is 0 and 0xff goes on where numbers end, as in llama.cpp.
constexpr uint16_t nvfp4_scale(uint8_t d) {
  const unsigned code = d & 0x7f;
  if (code == 0 || d == 0x7f) return 0;
  if (code >= 8) return static_cast<uint16_t>((code + (7 << 3)) << 7);  // exponents are biased by 7, and by 15 in an f16
  const int top = std::bit_width(code) - 1;                             // code * 2^-10, denormal only in E4M3
  return static_cast<uint16_t>(((static_cast<unsigned>(top) + 5) << 3 | (code << (3 - top) & 7)) << 7);
}

/// For the kernels over panels.
using paneled_nvfp4 = BlockNvfp4;

}  // namespace skald
