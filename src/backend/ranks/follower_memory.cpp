#include "backend/ranks/follower_memory.h"

#include "base/error.h"

namespace skald {

std::byte* FollowerMemory::here(const std::byte* there) const {
  if (!there) return nullptr;
  auto at = buffers_.upper_bound(there);
  SKALD_ASSERT(at != buffers_.begin());
  --at;
  const int64_t offset = there - at->first;
  SKALD_ASSERT(offset < at->second->size());
  return at->second->data() + offset;
}

}  // namespace skald
