// One content from the hub into the cache, whole and with its sum, or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "hub/api.h"
#include "hub/cache.h"

namespace skald {

/// What whoever waits is told.
struct HubEvents {
  /// Bytes of a file that are there, of how many; `checking`: what was there before is read for its sum.
  std::function<void(const HubFile& file, int64_t done, bool checking)> progress = {};
  std::function<void(const std::string& line)> say = {};
  /// Called several times a second; may throw.
  std::function<void()> check = {};
};

/// What would be asked for.
struct HubContent {
  HubRepo repo;
  std::string commit;
  HubFile file;
};

/// Gets the content unless it is there, going on where an earlier try ended. Holds the content's lock meanwhile, so that
/// nobody gets it twice at once. Throws Error; a wrong sum leaves nothing, and whatever else happens what came so far, for
/// the next time.
void download(HubApi& api, const HubCache& cache, const HubContent& content, const HubEvents& events);

/// Bytes that are still to come; 0: it is there.
int64_t missing_bytes(const HubCache& cache, const HubRepo& repo, const HubFile& file);

/// Throws kDevice unless the disk of a folder, there or not, has room for so many bytes.
void check_disk_space(const std::string& folder, int64_t bytes);

}  // namespace skald
