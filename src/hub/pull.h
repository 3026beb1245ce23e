// Getting a model or an adapter: which one, its files, and where they lie then.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hub/download.h"
#include "hub/hub_model.h"
#include "hub/settings.h"

namespace skald {

/// The rule of which models fit into the memory.
struct MemoryRule {
  int64_t memory = 0;  // bytes that there are
  /// Of a model whose file begins with these bytes, a cache of some thousand tokens; 0 where they do not say.
  std::function<int64_t(std::string_view beginning)> cache_bytes = {};

  /// Tells whether weights of this many bytes fit with a cache; `beginning` gives a file's first bytes, and is asked only if
  /// it matters.
  bool fits(int64_t weights, const std::function<std::string()>& beginning) const;
};

/// Bytes at a file's beginning in which the numbers of a model's layers are.
inline constexpr int64_t kBeginning = int64_t{256} << 10;

struct PullRequest {
  HubName name;
  std::string revision = "main";
  MemoryRule memory = {};
  /// Hears the choice before any file is got, with all models that there are, and the bytes to come; may throw.
  std::function<void(const HubModel& chosen, const std::vector<HubModel>& all, int64_t bytes)> on_choice = {};
  HubEvents events = {};
};

struct Pulled {
  HubName name;
  std::string path;  // of the file, the first shard, or an adapter's folder
  std::string commit;
};

/// Gets the files that are not there yet. Throws Error: kNotFound, kNoMemory where nothing fits, kBadFile for bad answers of
/// the hub, kDevice for networks and disks.
Pulled pull(const HubSettings& settings, const PullRequest& request);

}  // namespace skald
