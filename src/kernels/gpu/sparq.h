// The limits of the kernels of sparse decoding, for those who launch them.
#pragma once

#include <cstdint>

namespace skald::gpu {

inline constexpr int kChunkKeys = 2048;        // slots of keys that a block scores
inline constexpr int kRanks = 4096;            // ranks of keys: see sparq_ranks.cu
inline constexpr int kMaxSparseColumns = 256;  // of a head
inline constexpr int kMaxSparseGroup = 128;    // query heads of a KV head
inline constexpr int kMaxGroupNumbers = 8192;  // of all of their queries
/// Numbers of a chunk's sums beside the columns: top, total, and the share of its chosen keys in the approximate softmax.
inline constexpr int kMoreSums = 3;

}  // namespace skald::gpu
