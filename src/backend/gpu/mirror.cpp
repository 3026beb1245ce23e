#include "backend/gpu/mirror.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace skald::gpu {
namespace {

constexpr int64_t kGap = 32 * 1024;  // that takes a bus about as long as the beginning of a copy

}  // namespace

void Mirror::put(int64_t at, const void* data, int64_t bytes) {
  SKALD_ASSERT(at + bytes <= bytes_);
  std::byte* const to = pinned_.data() + at;
  if (bytes == 0 || std::memcmp(to, data, static_cast<size_t>(bytes)) == 0) return;
  std::memcpy(to, data, static_cast<size_t>(bytes));
  if (!changed_.empty() && changed_.back().begin <= at && at - changed_.back().end <= kGap)
    changed_.back().end = std::max(changed_.back().end, at + bytes);
  else
    changed_.push_back({at, at + bytes});
}

void Mirror::bring() {
  for (const Range& r : changed_) device_.bring(memory_.data() + r.begin, pinned_.data() + r.begin, r.end - r.begin);
  changed_.clear();
}

}  // namespace skald::gpu
