// The page: the unit in which a KV cache's memory is given to sequences.
#pragma once

#include <cstdint>

namespace skald {

/// Keys of a page. Attention works page by page: the last of a sequence may be partly filled.
inline constexpr int64_t kPageKeys = 64;

/// How a head's keys lie in a page, or its values, which are never by dimensions.
enum class KeyOrder : uint8_t {
  kRows,    // (keys, d_k): a key is contiguous
  kDims,    // (d_k, keys): a dimension of all keys of the page is contiguous
  kPlanes,  // of blocks: their codes (keys, d_k), then their scales (keys, blocks); what only devices read
};

}  // namespace skald
