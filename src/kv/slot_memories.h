// SlotMemories: the memories of a cache, each once, from where each slot is to lie.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tensor/device_memory.h"

namespace skald {

struct SlotMemories {
  /// `of_slots`: (slots).
  explicit SlotMemories(std::span<DeviceMemory* const> of_slots);

  std::vector<DeviceMemory*> memories;  // in the order of the first slots in them; at least one
  std::vector<size_t> memory_of;        // (slots): indices into them
};

}  // namespace skald
