// Names that the whole API shares.
#pragma once

#include <cstdint>

namespace [[gnu::visibility("default")]] skald {

using TokenId = int32_t;

}  // namespace gnu::visibility("default")]]skald
