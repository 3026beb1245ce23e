// One content from the hub into the cache, whole and with its sum, or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "hub/api.h"
#include "hub/cache.h"

namespace skald {

/// Callbacks for the caller that waits for the download.
struct HubEvents {
  /// Bytes of a file that are there, of how many; `checking`: bytes of an earlier try are read for their sum.
  std::function<void(const HubFile& file, int64_t done, bool checking)> progress = {};
  std::function<void(const std::string& line)> say = {};
  /// Called several times a second; may throw.
  std::function<void()> check = {};
};

/// A file's content to ask for.
struct HubContent {
  HubRepo repo;
  std::string commit;
  HubFile file;
};

/// Gets the content unless it is there, going on where an earlier try ended. Holds the content's lock meanwhile, so that no
/// two processes get it at once. Throws Error: a wrong sum leaves nothing, any other failure leaves the bytes so far for the
/// next try.
void download(HubApi& api, const HubCache& cache, const HubContent& content, const HubEvents& events);

/// Returns the bytes that are still to come; 0: it is there.
int64_t missing_bytes(const HubCache& cache, const HubRepo& repo, const HubFile& file);

/// Throws kDevice unless the disk of a folder, there or not, has room for this many bytes.
void check_disk_space(const std::string& folder, int64_t bytes);

}  // namespace skald
