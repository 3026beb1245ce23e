// How much memory the system has to give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace skald {

/// Bytes that can be used without swapping, by the system's estimate; what is free where it gives none.
int64_t available_memory();

/// Gives the whole pages within `bytes` back to the system. Those of a mapped file come back when they are read again,
/// others are zeros then.
void give_back(std::span<const std::byte> bytes);

}  // namespace skald
