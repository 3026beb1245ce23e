// Names on a hub: of repositories, files, revisions and contents. Names of the network are checked here before anything is
// made of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace skald {

struct HubRepo {
  std::string user, name;  // user: empty for the few old ones without

  /// "user/name".
  std::string id() const { return user.empty() ? name : user + "/" + name; }
  friend bool operator==(const HubRepo&, const HubRepo&) = default;
  friend auto operator<=>(const HubRepo&, const HubRepo&) = default;
};

/// A model on a hub as people write it. At most one of tag and file is not empty; neither: whichever suits best.
struct HubName {
  HubRepo repo;
  std::string tag = {};   // of the quantisation: "Q4_K_M"
  std::string file = {};  // in the repository: "sub/model.gguf"; of several shards any

  std::string text() const;
};

/// Returns whether a word may be a repository's or its owner's name: [A-Za-z0-9][A-Za-z0-9._-]{0,95} without ".." and "--".
bool is_repo_word(std::string_view word);

/// USER/REPO, USER/REPO:TAG or USER/REPO/PATH.gguf. Throws kBadInput naming the fault.
HubName parse_hub_name(std::string_view text);
/// The same, or nullopt where the text is none of these.
std::optional<HubName> find_hub_name(std::string_view text);

/// Throws kBadFile, naming it, for a path that could lead out of its folder or that no terminal should be shown. It must be
/// relative, of UTF-8 without control characters and backslashes, and of components that are not empty, "." or have "..".
void check_hub_path(std::string_view path);

/// Of a branch, a tag or a commit: letters, digits and "._-/", and each component as a path's. Throws kBadInput.
void check_revision(std::string_view revision);

bool is_commit(std::string_view text);  // 40 hexadecimal digits, in lower case
bool is_blob(std::string_view text);    // 40 (git's SHA-1) or 64 (SHA-256) of them

}  // namespace skald
