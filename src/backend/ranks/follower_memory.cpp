#include "backend/ranks/follower_memory.h"

namespace skald {

std::byte* FollowerMemory::here(const std::byte* there) const {
  if (!there) return nullptr;
  auto at = buffers_.upper_bound(there);
  if (at == buffers_.begin()) return nullptr;
  --at;
  const int64_t offset = there - at->first;
  return offset < at->second->size() ? at->second->data() + offset : nullptr;
}

}  // namespace skald
