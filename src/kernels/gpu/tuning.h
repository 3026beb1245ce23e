// How kernels of decoding are cut: numbers that a card's speed depends on. bench/gpu/sweep has others beside them.
#pragma once

namespace skald::gpu {

/// Of products with few rows. Their sums have the same bits with any.
template <int kPanelsOf, int kStepsOf, int kUnrolled, int kBlocksOf>
struct ProductTuning {
  static constexpr int kPanels = kPanelsOf;  // of a warp
  static constexpr int kSteps = kStepsOf;    // of each, that are loaded at once
  static constexpr int kUnroll = kUnrolled;  // of the loop over them
  static constexpr int kBlocks = kBlocksOf;  // of a multiprocessor, which registers are to be enough for
};

/// Of attention to parts of the keys, heads of D columns.
template <int kPagesOf, int kBlocksOf, int kMostOf>
struct PartsTuning {
  static constexpr int kPages = kPagesOf;      // of a part, a warp for each. Sums in other parts have other bits
  static constexpr int kBlocks = kBlocksOf;    // as above
  static constexpr int kMostBlocks = kMostOf;  // of a row and KV head: they take parts in turn
};

}  // namespace skald::gpu
