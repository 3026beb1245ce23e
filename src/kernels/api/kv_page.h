// The page: the unit in which a KV cache's memory is given to sequences.
#pragma once

#include <cstdint>

namespace skald {

/// Keys of a page. Attention works page by page: the last of a sequence may be partly filled.
inline constexpr int64_t kPageKeys = 64;

}  // namespace skald
