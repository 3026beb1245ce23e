// Names that the whole API shares.
#pragma once

#include <cstdint>
#include <functional>

#pragma GCC visibility push(default)
namespace skald {

using TokenId = int32_t;

/// Receives how far long work is: bytes that are done, of all. An exception that it throws ends the work.
using OnProgress = std::function<void(int64_t done, int64_t total)>;

}  // namespace skald
#pragma GCC visibility pop
