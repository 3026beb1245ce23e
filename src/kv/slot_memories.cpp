#include "kv/slot_memories.h"

#include <algorithm>

namespace skald {

SlotMemories::SlotMemories(std::span<DeviceMemory* const> of_slots) {
  for (DeviceMemory* const memory : of_slots) {
    const auto at = std::ranges::find(memories, memory);
    memory_of.push_back(static_cast<size_t>(at - memories.begin()));
    if (at == memories.end()) memories.push_back(memory);
  }
  if (memories.empty()) memories.push_back(&host_memory());
}

}  // namespace skald
