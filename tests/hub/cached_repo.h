// A cache with models in it, made as a pull makes them.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "hub/cache.h"
#include "hub/hasher.h"
#include "hub/record.h"
#include "tests/support/temp_dir.h"

namespace skald::test {

class CachedRepo {
 public:
  explicit CachedRepo(HubRepo repo = {"u", "r"}) : repo(std::move(repo)) {}

  /// A file of a commit, with its content and a link; `ours`: Skald got it.
  HubFile add(const std::string& commit, const std::string& path, const std::string& content, bool ours = true) const {
    Hasher hasher(std::string(64, '0'), 0);
    hasher.add(std::as_bytes(std::span(content)));
    const HubFile file{path, std::ssize(content), hasher.finish()};
    make_folders(cache.repo_folder(repo) + "/blobs");
    std::ofstream(cache.blob(repo, file.blob), std::ios::binary) << content;
    if (ours) add_to_record(cache, repo, commit, {file});
    cache.link(repo, commit, file);
    return file;
  }

  bool has(const std::string& path) const { return std::filesystem::exists(cache.folder() + "/" + path); }
  bool has_blob(const HubFile& file) const { return std::filesystem::exists(cache.blob(repo, file.blob)); }

  TempDir dir;
  HubCache cache{dir.path("hub")};
  HubRepo repo;
};

inline const std::string kCommitA(40, 'a'), kCommitB(40, 'b');

}  // namespace skald::test
