// Rows of launches, and how they are spread over blocks.
#pragma once

#include "kernels/gpu/args.h"
#include "kernels/gpu/simt.h"

namespace skald::gpu {

SIMT_DEV bool has_row(const RowCount& rows, int64_t row) { return row < *rows.at; }

/// What a kernel of rows begins with: waits for the launches before it, lets the next begin, and says whether this row is
/// there.
SIMT_DEV bool begin_row(const RowCount& rows, int64_t row) {
  simt::wait_for_previous();
  simt::let_next_begin();
  return has_row(rows, row);
}

template <class T>
SIMT_DEV T at_most(T a, T b) {
  return a < b ? a : b;
}
template <class T>
SIMT_DEV T at_least(T a, T b) {
  return a < b ? b : a;
}

/// Puts a kernel at the stream's end that waits by itself for the launches before it: its blocks may be there already when
/// these end.
template <auto kKernel, class Args>
void launch_early(simt::Stream stream, simt::Shape shape, const Args& args) {
  shape.early = true;
  simt::launch<kKernel>(stream, shape, args);
}

inline unsigned blocks_for(int64_t n, int64_t of_block) { return static_cast<unsigned>((n + of_block - 1) / of_block); }

/// A warp for each part of each row.
inline simt::Shape warp_per_part(int64_t parts, int64_t rows) {
  return {{static_cast<unsigned>(parts), static_cast<unsigned>(rows)}, simt::kWarp};
}

}  // namespace skald::gpu
