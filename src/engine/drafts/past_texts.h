// PastTexts: what texts of each scope came to, for guesses at the next ones of the same scope.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/drafts/text_index.h"

namespace skald {

/// Keeps the last tokens of the scopes that were last in use.
class PastTexts {
 public:
  static constexpr int64_t kTokens = 8192;  // are kept of a scope, and up to as many before them
  static constexpr int64_t kScopes = 64;

  void add(std::string_view scope, std::span<const TokenId> text);
  struct Found {
    const TextIndex* in = nullptr;
    TextIndex::Match match = {};
  };
  /// Returns the longest match; valid until add().
  Found find(std::string_view scope, std::span<const TokenId> text);

 private:
  struct Scope {
    std::string name;
    TextIndex now, before;
  };
  Scope* use(std::string_view name);

  std::list<Scope> scopes_;  // the last in use first
};

}  // namespace skald
