// The rotation of a head by the angles of a row's table.
#pragma once

#include "kernels/gpu/rows.inl"

namespace skald::gpu {

/// Pairs of a head, and numbers that are not rotated.
SIMT_DEV int64_t rope_items(const RopeArgs& a) { return a.d_head - a.dims / 2; }

/// Rotates a pair, or copies a number that is not rotated: `out` may be x.
SIMT_DEV void rotate(const RopeArgs& a, const float* x, const float* table, float* out, int64_t item) {
  const int64_t pairs = a.dims / 2;
  if (item >= pairs) {
    const int64_t plain = item - pairs, i = plain < a.first ? plain : plain + a.dims;
    out[i] = x[i];
    return;
  }
  const int64_t i = a.first + (a.halves ? item : 2 * item), j = i + (a.halves ? pairs : 1);
  const float cosine = table[item], sine = table[item + pairs], u = x[i], v = x[j];
  out[i] = u * cosine - v * sine;
  out[j] = u * sine + v * cosine;
}

}  // namespace skald::gpu
