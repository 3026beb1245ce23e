// HubCache: the folders in which huggingface_hub keeps its files, so that each program finds those of the other.
//
//   models--USER--REPO/refs/main                 the commit that a branch or tag was
//                     /blobs/<sum>               contents, by their SHA-256 or git's SHA-1
//                     /blobs/<sum>.incomplete    the beginning of one
//                     /snapshots/<commit>/PATH   links to contents: ../../blobs/<sum>
//                     /.skald/<commit>           ours: the files of this commit that Skald got
//   .locks/models--USER--REPO/<sum>.lock         held by the process that gets that content
//
// https://huggingface.co/docs/huggingface_hub/guides/manage-cache
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hub/api.h"
#include "hub/names.h"

namespace skald {

class HubCache {
 public:
  explicit HubCache(std::string folder) : folder_(std::move(folder)) {}

  const std::string& folder() const { return folder_; }
  std::string repo_folder(const HubRepo& repo) const;
  std::string blob(const HubRepo& repo, std::string_view blob) const;
  std::string incomplete(const HubRepo& repo, std::string_view blob) const;
  std::string lock(const HubRepo& repo, std::string_view blob) const;
  std::string snapshot(const HubRepo& repo, std::string_view commit) const;
  std::string record(const HubRepo& repo, std::string_view commit) const;

  /// Returns all repositories of models that are there, by name; folders with other names are not.
  std::vector<HubRepo> repos() const;
  /// Commits that have a snapshot.
  std::vector<std::string> commits(const HubRepo& repo) const;

  /// Returns the commit that a branch or tag was; of a commit itself. nullopt: unknown.
  std::optional<std::string> ref(const HubRepo& repo, const std::string& revision) const;
  /// Remembers it; the snapshot's folder must be there.
  void set_ref(const HubRepo& repo, const std::string& revision, const std::string& commit) const;
  /// Branches and tags with the commit that each was.
  std::vector<std::pair<std::string, std::string>> refs(const HubRepo& repo) const;

  /// Returns the GGUF files of a snapshot whose content is there, by path.
  std::vector<HubFile> files(const HubRepo& repo, const std::string& commit) const;

  /// Returns all files of a snapshot that lie in no folder of it and whose content is there, by name.
  std::vector<HubFile> top_files(const HubRepo& repo, const std::string& commit) const;

  /// Makes the snapshot's file a link to its content.
  void link(const HubRepo& repo, const std::string& commit, const HubFile& file) const;

 private:
  std::string folder_;
};

/// "models--USER--REPO" and back; nullopt for other names.
std::string folder_name(const HubRepo& repo);
std::optional<HubRepo> repo_of_folder(std::string_view name);

/// Makes a folder and those above it. Throws kDevice.
void make_folders(const std::string& path);

}  // namespace skald
