// Rows of launches, and how they are spread over blocks.
#pragma once

#include "kernels/gpu/args.h"
#include "kernels/gpu/simt.h"

namespace skald::gpu {

SIMT_DEV bool has_row(const RowCount& rows, int64_t row) { return row < *rows.at; }

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

}  // namespace skald::gpu
