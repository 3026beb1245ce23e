// PrefixStore: a folder in which engines keep what prompts computed, for other engines and later starts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#pragma GCC visibility push(default)
namespace skald {

class PageStore;

/// Pages of prompts are written to it soon after they are computed and read back when a prompt begins alike, by an engine of
/// the same model and options (EngineOptions::prefix_store). It holds what prompts say: its files are readable for its owner
/// alone. One process at a time may use a folder, with any number of engines.
class PrefixStore {
 public:
  struct Status {
    int64_t pages = 0, bytes = 0;               // there now
    int64_t pages_read = 0, pages_written = 0;  // since it was opened
    int64_t pages_removed = 0;                  // to keep within the quota
    int64_t corrupt = 0;                        // files that were damaged, or written for something else
  };

  /// Makes the folder where it is not there. `most_bytes`: of all its files. Throws Error naming the folder that cannot be
  /// used (kDevice), or that another process uses (kBusy).
  PrefixStore(const std::string& folder, int64_t most_bytes);
  ~PrefixStore();
  PrefixStore(const PrefixStore&) = delete;
  PrefixStore& operator=(const PrefixStore&) = delete;

  Status status() const;
  /// For engines.
  PageStore& pages() { return *pages_; }

 private:
  std::unique_ptr<PageStore> pages_;
};

}  // namespace skald
#pragma GCC visibility pop
