#include "backend/ranks/follower_memory.h"

#include "base/error.h"

namespace skald {

std::byte* FollowerMemory::find(const std::byte* there) const {
  if (!there) return nullptr;
  auto at = buffers_.upper_bound(there);
  if (at == buffers_.begin()) return nullptr;
  --at;
  const int64_t offset = there - at->first;
  return offset < at->second->size() ? at->second->data() + offset : nullptr;
}

std::byte* FollowerMemory::here(const std::byte* there) const {
  std::byte* const found = find(there);
  SKALD_ASSERT(found || !there);
  return found;
}

}  // namespace skald
