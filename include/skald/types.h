// Names that the whole API shares.
#pragma once

#include <cstdint>

namespace skald {

using TokenId = int32_t;

}  // namespace skald
