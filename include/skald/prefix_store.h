// PrefixStore: a folder in which engines keep computed pages of prompts, for other engines and later starts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#pragma GCC visibility push(default)
namespace skald {

class PageStore;

/// Keeps pages of prompts: an engine writes them soon after it has computed them. An engine of the same model and options
/// reads them back when a prompt begins alike (EngineOptions::prefix_store). The pages contain the prompts: the files are
/// readable for their owner alone. Processes of one user may share a folder, on several machines too, with any number of
/// engines each.
class PrefixStore {
 public:
  struct Status {
    int64_t pages = 0, bytes = 0;               // there now, as far as this process knows
    int64_t pages_read = 0, pages_written = 0;  // since it was opened
    int64_t pages_removed = 0;                  // to keep within the quota
    int64_t corrupt = 0;                        // records that were damaged, or written for something else
    int64_t found = 0, missed = 0;              // prompts beyond memory whose next page was there; and was not
    int64_t errors = 0;                         // times that the store failed or was silent
    double seconds = 0;                         // that it took to answer
    bool up = true;                             // false: it is left alone for a while
    std::string kind = {}, label = {};          // "folder" and its path; never a secret
  };

  /// Makes the folder where it is not there. `most_bytes`: of all its files. Each further process that writes may have it
  /// hold 1/32 more for a short time. Throws Error (kDevice) naming the folder that cannot be used.
  PrefixStore(const std::string& folder, int64_t most_bytes);
  /// Takes a store of any kind.
  explicit PrefixStore(std::unique_ptr<PageStore> pages);
  ~PrefixStore();
  PrefixStore(const PrefixStore&) = delete;
  PrefixStore& operator=(const PrefixStore&) = delete;

  Status status() const;
  /// Serves engines.
  PageStore& pages() { return *pages_; }

 private:
  std::unique_ptr<PageStore> pages_;
};

}  // namespace skald
#pragma GCC visibility pop
