#include "loading/lock_weights.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/memory_lock.h"

namespace skald {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::ptrdiff_t kGap = 4096;  // between tensors of one file there is padding: less than a page

// What the weights take, with one piece for those that follow each other.
std::vector<Bytes> pieces(const LoadedModel& model) {
  std::vector<Bytes> all = model.bytes_in_use(), merged;
  std::ranges::sort(all, std::less<>(), &Bytes::data);
  for (const Bytes& piece : all) {
    if (merged.empty() || piece.data() - (merged.back().data() + merged.back().size()) >= kGap) {
      merged.push_back(piece);
      continue;
    }
    const std::byte* const end = std::max(merged.back().data() + merged.back().size(), piece.data() + piece.size());
    merged.back() = {merged.back().data(), end};
  }
  return merged;
}

}  // namespace

void lock_weights(const LoadedModel& model) {
  MemoryLock lock("the weights", model.held_bytes());
  for (const Bytes& piece : pieces(model))
    if (!lock.lock(piece)) return;
}

}  // namespace skald
