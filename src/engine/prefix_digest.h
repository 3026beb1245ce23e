// PrefixDigest: which beginnings of prompts are in memory, as keyed hashes that other servers may be told.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/digest.h"
#include "skald/types.h"

namespace skald {

/// Names a prompt's first pages up to one, in 64 bits of a chain of SHA-256 sums.
using PrefixHash = uint64_t;

/// Returns the key that a space's chains begin with: a sum of the model keyed by the space (its scope, and whether it has
/// generated keys). A reader who does not know the scope can make no hash of its texts.
Sha256Sum digest_root(const Sha256Sum& model, std::string_view space);
/// Returns the key after the next tokens: a page, or the rest of a prompt.
Sha256Sum digest_key(const Sha256Sum& before, std::span<const TokenId> tokens);
PrefixHash prefix_hash(const Sha256Sum& key);
/// Returns the hashes of all full pages of the tokens.
std::vector<PrefixHash> prefix_hashes(const Sha256Sum& root, std::span<const TokenId> tokens);
/// Names the space of a scope, as a tree of pages does.
std::string prefix_space(std::string_view scope, bool generated);

/// Engines report to it, and any thread may ask.
class PrefixDigest {
 public:
  /// Adds a page at which a hit can end: the page number `page` of a prompt. Without memory for it the page stays untold.
  void add(std::string_view space, const Sha256Sum& key, int64_t page) noexcept;
  void remove(std::string_view space, const Sha256Sum& key) noexcept;

  /// Returns how many of the pages with these hashes, which are one prompt's in order, a hit in the space can have.
  int64_t pages(std::string_view space, std::span<const PrefixHash> prompt) const;
  /// Returns whether a space whose scope begins with `owner` has the page.
  bool has(std::string_view owner, PrefixHash page) const;
  /// Returns the hashes of all spaces whose scope begins with `owner`, at most `most`: where there are more, those of the
  /// first pages of prompts. The same pages give the same list.
  std::vector<PrefixHash> list(std::string_view owner, size_t most) const;

 private:
  struct Page {
    int64_t number = 0;
    int64_t count = 0;  // of engines that have it
  };
  using Pages = std::unordered_map<PrefixHash, Page>;

  mutable std::mutex mutex_;
  std::map<std::string, Pages, std::less<>> spaces_;
};

/// Says whose pages an engine reports, and to whom.
struct PrefixReports {
  std::shared_ptr<PrefixDigest> to = {};  // null: none are reported
  Sha256Sum model = {};
};

}  // namespace skald
