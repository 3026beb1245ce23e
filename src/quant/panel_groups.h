// The groups of panels (quant/panels.h) of the formats with codes of one to six bits: blocks of 32 columns by 16 rows, with
// scales row by row. A vector of weights is a step: four columns of 16 rows.
#pragma once

#include <cstdint>

namespace skald {

/// Codes of 32 columns, in planes: kLow bits of each, then kHigh bits above these. A plane of n bits is n steps wide. Step s
/// of eight has bits n * (s / n) and up of the bytes [s % n], which are those of (row, column).
template <int kLow, int kHigh>
struct PanelCodes {
  static constexpr int kLowBits = kLow, kHighBits = kHigh;
  uint8_t low[kLow][16][4];
  uint8_t high[kHigh][16][4];
};
template <int kLow>
struct PanelCodes<kLow, 0> {
  static constexpr int kLowBits = kLow, kHighBits = 0;
  uint8_t low[kLow][16][4];
};

/// The levels of codes of up to four bits, as unsigned bytes. (From functions, since a constant would be a symbol of the
/// kernels.)
struct PanelLevels {
  uint8_t of[16];
};

/// Returns how far left codes stand in the bytes that are multiplied: by kShift bits, which a format's block may have.
template <class Block>
consteval int code_shift() {
  if constexpr (requires { Block::kShift; }) return Block::kShift;
  return 0;
}

/// N blocks of formats with an f16 scale for 32 elements, or for `kOfScale` such blocks.
template <class Codes, int N, int kOfScale = 1>
struct BlocksGroup {
  static constexpr int kBlocks = N, kColumns = 32 * N, kParts = 1;
  uint16_t d[N / kOfScale][16];
  Codes codes[N];
};

/// The same with an addend for every value of a block.
template <class Codes, int N>
struct BlocksGroupWithMins {
  static constexpr int kBlocks = N, kColumns = 32 * N, kParts = 1;
  uint16_t d[N][16], min[N][16];
  Codes codes[N];
};

/// N blocks with scales that are powers of two, as in BlockMxfp4.
template <class Codes, int N>
struct ExponentsGroup {
  static constexpr int kBlocks = N, kColumns = 32 * N, kParts = 1;
  uint8_t e[N][16];
  Codes codes[N];
};

/// N blocks of two parts, whose scales are bits 7 to 14 of an f16 that has zeros elsewhere.
template <class Codes, int N>
struct ShortScalesGroup {
  static constexpr int kBlocks = N, kColumns = 32 * N, kParts = 2;
  uint8_t short_d[2 * N][16];
  Codes codes[N];
};

/// A block of 256 elements, eight of 32: the scale of a part is d * scales[part]; each 32 elements are kParts parts.
template <class Codes, class Scale, int kPartsOfBlock>
struct alignas(64) SuperGroup {
  static constexpr int kBlocks = 8, kColumns = 256, kParts = kPartsOfBlock;
  uint16_t d[16];
  Scale scales[8 * kParts][16];
  Codes codes[8];
};

/// The same with min * mins[part] added to every value of a part. (Files have it subtracted: packing turns the sign.)
template <class Codes, int kPartsOfBlock>
struct alignas(64) SuperGroupWithMins {
  static constexpr int kBlocks = 8, kColumns = 256, kParts = kPartsOfBlock;
  uint16_t d[16], min[16];
  uint8_t scales[8 * kParts][16], mins[8 * kParts][16];
  Codes codes[8];
};

/// A block of 256 elements with one scale.
template <class Codes>
struct alignas(64) UniformGroup {
  static constexpr int kBlocks = 8, kColumns = 256, kParts = 1;
  uint16_t d[16];
  Codes codes[8];
};

}  // namespace skald
