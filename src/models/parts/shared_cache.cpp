#include "models/parts/shared_cache.h"

#include "base/error.h"

namespace skald {

int64_t read_shared_layers(const MetaView& m, int64_t n_layers) {
  constexpr std::string_view kKey = "attention.shared_kv_layers";
  return m.has(kKey) ? m.in_range(kKey, 0, n_layers - 1) : 0;
}

SharedCache::SharedCache(int64_t n_shared, const LayerWindows& windows) : kept_(windows.local.size()) {
  const int64_t n_layers = std::ssize(windows.local), own = n_layers - n_shared;
  for (int64_t i = 0; i < n_layers; ++i) {
    int64_t owner = i < own ? i : own - 1;
    while (owner >= 0 && windows.in(owner) != windows.in(i)) --owner;
    if (owner < 0)
      fail(Errc::kBadFile, "layer {} of {} has no keys, and no layer before the last {} attends as it does", i, n_layers,
           n_shared);
    owners_.push_back(owner);
  }
}

}  // namespace skald
