// The limits of the attention kernels, for those who launch them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skald::gpu {

inline constexpr int kMaxKeyColumns = 640, kMaxValueColumns = 512;  // of a head

/// Of the kernels by pages: columns of a head that there are kernels for.
inline constexpr int64_t kAttentionWidths[] = {64, 128, 256};
constexpr size_t width_index(int64_t columns) { return columns <= 64 ? 0 : columns <= 128 ? 1 : 2; }

/// Keys of a part, for which a row's sums are joined; heads of a KV head and rows of a step that a block has at most.
inline constexpr int kPartKeys = 256, kTileHeads = 16, kTileQueries = 64;
/// Blocks that the heads of a KV head take, and neighbouring rows of a block: AttentionArgs has them.
constexpr int head_tiles(int64_t group) { return static_cast<int>((group + kTileHeads - 1) / kTileHeads); }
constexpr int window_rows(int64_t group) { return kTileQueries / static_cast<int>(group < kTileHeads ? group : kTileHeads); }

}  // namespace skald::gpu
