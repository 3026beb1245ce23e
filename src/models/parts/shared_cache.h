// Layers that attend to the keys and values of an earlier one (Gemma 3n, Gemma 4). Sun et al., arXiv 2405.05254.
#pragma once

#include <optional>
#include <vector>

#include "graph/net.h"
#include "models/parts/hparams.h"

namespace skald {

/// Returns how many of the last layers keep no keys: attention.shared_kv_layers, 0 without. Throws kBadFile naming the key.
int64_t read_shared_layers(const MetaView& m, int64_t n_layers);

class SharedCache {
 public:
  /// A layer without keys attends to the last one with keys that has a window as it has, or has none as it. Throws kBadFile
  /// where there is no such layer.
  SharedCache(int64_t n_shared, const LayerWindows& windows);

  /// Returns the layer whose keys layer i attends to: itself, or an earlier one.
  int64_t owner_of(int64_t i) const { return owners_[static_cast<size_t>(i)]; }
  /// Sets the keys of layer i, for later layers too.
  const Net::Cached& keep(int64_t i, const Net::Cached& cached) { return kept_[static_cast<size_t>(i)] = cached; }
  /// Returns the keys that layer i attends to.
  const Net::Cached& of(int64_t i) const { return kept_[static_cast<size_t>(owner_of(i))]; }

 private:
  std::vector<int64_t> owners_;
  std::vector<Net::Cached> kept_;
};

}  // namespace skald
