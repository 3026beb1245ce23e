// Where the stack of a thread lies.
#pragma once

#include <cstddef>
#include <span>

namespace skald {

/// Of the calling thread; empty where the system does not say.
std::span<std::byte> thread_stack();

}  // namespace skald
