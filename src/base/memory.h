// How much memory the system has to give.
#pragma once

#include <cstdint>

namespace skald {

/// Bytes that can be used without swapping, by the system's estimate; what is free where it gives none.
int64_t available_memory();

}  // namespace skald
