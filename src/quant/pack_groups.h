// How rows of blocks become groups (quant/panel_groups.h): a format says where its scales and codes lie.
#pragma once

#include <array>
#include <cstring>

#include "quant/panel_groups.h"
#include "quant/panels.h"

namespace skald {

/// Codes of 32 columns of a row, one to a byte.
struct RowCodes {
  uint8_t of[32];
};

/// Bits [from, from + kBits) of the codes into a plane.
template <int kBits>
void put_plane(const RowCodes& codes, int from, int row, uint8_t (&plane)[kBits][16][4]) {
  uint32_t steps[8], bytes[kBits] = {};
  std::memcpy(steps, codes.of, sizeof steps);
  constexpr uint32_t kMask = ((1u << kBits) - 1) * 0x01010101u;
  for (int s = 0; s < 8; ++s) bytes[s % kBits] |= (steps[s] >> from & kMask) << s / kBits * kBits;
  for (int i = 0; i < kBits; ++i) std::memcpy(plane[i][row], &bytes[i], 4);
}

template <int kLow, int kHigh>
void put_codes(const RowCodes& codes, int row, PanelCodes<kLow, kHigh>& to) {
  put_plane(codes, 0, row, to.low);
  if constexpr (kHigh > 0) put_plane(codes, kLow, row, to.high);
}

/// Returns the codes whose low bits are the nibbles of 16 bytes, low ones first.
inline RowCodes nibbles(const uint8_t* q) {
  RowCodes out;
  for (int i = 0; i < 16; ++i) {
    out.of[i] = q[i] & 15;
    out.of[i + 16] = q[i] >> 4;
  }
  return out;
}

/// Of a block of 256, those from 32 * part on.
template <class Block>
RowCodes codes_of(const Block& b, int part) {
  RowCodes out;
  for (int i = 0; i < 32; ++i) out.of[i] = static_cast<uint8_t>(b.code(part, i));
  return out;
}

/// Codes of a point's coordinates, from place `at` of the 32: the number of each level, which is coordinate >> kShift, and
/// above it, at bit kSignBit, the sign.
template <int kShift, int kSignBit, size_t N>
void put_point(const std::array<int8_t, N>& point, unsigned signs, int at, RowCodes& out) {
  for (size_t i = 0; i < N; ++i)
    out.of[static_cast<size_t>(at) + i] = static_cast<uint8_t>(point[i] >> kShift | (signs >> i & 1) << kSignBit);
}

/// A panel's groups, of blocks that `put` takes one by one: put(block, place in the group, row, group).
template <class Block, void (*put)(const Block&, int, int, typename Block::Group&)>
void pack_groups(const PackArgs& a, std::byte* to) {
  using Group = typename Block::Group;
  constexpr int64_t kOfGroup = Group::kColumns / Block::kSize;
  auto* groups = reinterpret_cast<Group*>(to);
  const int64_t blocks = a.k / Block::kSize;
  std::memset(to, 0, static_cast<size_t>((blocks + kOfGroup - 1) / kOfGroup) * sizeof(Group));
  for (int64_t b = 0; b < blocks; ++b)
    for (int row = 0; row < a.n_rows; ++row)
      put(reinterpret_cast<const Block*>(a.rows + row * a.row_bytes)[b], static_cast<int>(b % kOfGroup), row,
          groups[b / kOfGroup]);
}

template <class Block, void (*put)(const Block&, int, int, typename Block::Group&)>
constexpr PanelLayout layout_of_groups(std::string_view name) {
  using Group = typename Block::Group;
  return {name, Block::kId, kPanelTypes + Block::kId, Group::kColumns, sizeof(Group), pack_groups<Block, put>};
}

}  // namespace skald
