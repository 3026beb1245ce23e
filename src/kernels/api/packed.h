// Matmul over weights in panels (quant/panels.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace skald {

/// Columns of float activations that lie together for steps of many tokens: see PackedMatmulArgs::x_chunk.
inline constexpr int64_t kChunkColumns = 128;

/// Up to this many tokens a panel is streamed once and its sums stay in registers; more go through the cache in blocks.
inline constexpr int64_t kFewTokens = 24;

/// How far ahead of their use matmuls ask for weights, in bytes.
inline constexpr int64_t kPrefetchBytes = 4096;

/// y[t * y_stride + r] = sum over k of w[r, k] * x[t, k], for r in [0, n) and t in [0, m).
/// Every sum runs over k in order, so that a token's result does not depend on how many others there are.
struct PackedMatmulArgs {
  const std::byte* panels;  // n rows of k columns; zeros follow the last row in its panel
  int64_t panel_stride;     // bytes from one panel to the next
  const std::byte* x;       // (m, k) in the kernel's ActFormat
  int64_t x_stride;         // bytes between rows
  /// For kF32 and kBf16. 0: rows are whole. Else they lie in pieces of kChunkColumns, each piece of all rows before the next
  /// piece, this many bytes apart. Whole rows are often a power of two apart and fall into one set of the cache.
  int64_t x_chunk;
  float* y;  // (m, n), rows y_stride floats apart
  int64_t y_stride;
  int64_t n, m, k;
  /// The same of a single token's kernels that do little for each line (of floats, four panels side by side; of bytes); 0:
  /// they leave it to the CPU.
  int64_t ahead = kPrefetchBytes;
};

using PackedMatmulFn = void (*)(const PackedMatmulArgs&) noexcept;

}  // namespace skald
