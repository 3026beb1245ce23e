// How a warp writes 32 columns of a row in the forms that products with fragments want. Kernels that write rows do it, too:
// the numbers are in their lanes.
#pragma once

#include "kernels/gpu/args.h"
#include "kernels/gpu/row_forms.h"
#include "kernels/gpu/rows.inl"

namespace skald::gpu {

/// Blocks of 32 columns that are to be written of a row.
SIMT_DEV int64_t form_blocks(const RowForms& forms, int64_t columns) {
  return forms.coded.codes ? forms.units * 4 : (columns + simt::kWarp - 1) / simt::kWarp;
}

/// The scale of a block's codes. It is no number where one of the block is not finite: rounding hides none.
SIMT_DEV float scale_of_codes(float x) {
  if (simt::votes(!(simt::magnitude(x) < simt::infinity()))) return simt::as_float(0x7fc00000);
  return simt::warp_max(simt::magnitude(x)) / 127.0f;
}

/// x: of the lane's column. What lies beyond the columns is zeros.
SIMT_DEV void put_codes(const CodedRows& out, int64_t first_unit, int64_t block, float x) {
  const float scale = scale_of_codes(x);
  const int code = scale > 0 ? simt::round_int(x * (1.0f / scale)) : 0;
  int sum = code;
#pragma unroll
  for (int step = simt::kWarp / 2; step; step /= 2) sum += simt::shuffle_xor(sum, step);
  const int64_t unit = first_unit + block / 4;
  const int j = static_cast<int>(block % 4), c = simt::lane();
  const int at = j / 2 * 64 + c % 16 / 4 * 16 + j % 2 * 8 + c / 16 * 4 + c % 4;
  out.codes[unit * kUnitColumns + at] = static_cast<int8_t>(code);
  if (c) return;
  out.scales[unit * 4 + j] = scale;
  out.sums[unit * 4 + j] = scale * static_cast<float>(sum);
}

/// `half`: rounds to 16 bits.
template <class Half>
SIMT_DEV void put_halves(std::byte* tile, int row, float x, Half half) {
  const auto high = half(x), low = half(x - simt::to_float(high));
  const int c = simt::lane();
  auto* to = reinterpret_cast<uint16_t*>(tile + row * (kTileBytes / 4) + c / 8 * 16) + c % 8;
  to[0] = high.bits;
  to[kTileColumns] = low.bits;
}

/// Block `block` of a row in all forms that are wanted. By a whole warp.
SIMT_DEV void put_forms(const RowForms& forms, int64_t row, int64_t block, float x) {
  if (forms.coded.codes) put_codes(forms.coded, row * forms.units, block, x);
  if (block >= forms.tiles) return;
  const int64_t tile = (row / 4 * forms.tiles + block) * kTileBytes;
  const int in_tile = static_cast<int>(row % 4);
  if (forms.f16) put_halves(forms.f16 + tile, in_tile, x, [](float v) { return simt::to_f16(v); });
  if (forms.bf16) put_halves(forms.bf16 + tile, in_tile, x, [](float v) { return simt::to_bf16(v); });
}

}  // namespace skald::gpu
