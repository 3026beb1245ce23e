// Copying the beginning of a page: the keys that it has so far, of all slots of its group.
#pragma once

#include <cstddef>

#include "kv/spec.h"
#include "tensor/device_memory.h"

namespace skald {

/// The first `keys` (<= kPageKeys) keys and values of the page `from` into the page `to` of the same group.
void copy_keys(DeviceMemory& memory, const KvSpec& spec, size_t group, const std::byte* from, std::byte* to, int64_t keys);

}  // namespace skald
