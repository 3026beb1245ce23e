// PeerNews: what servers tell each other by GET /prefixes: their load, and the beginnings of one client's prompts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/prefix_digest.h"
#include "serve/json.h"
#include "skald/engine.h"

namespace skald::serve {

/// Counts the requests that a server has.
struct ServerLoad {
  int64_t running = 0, waiting = 0;
  int64_t parallel = 1;  // that may run at the same time

  /// Returns how many requests a new one would have to wait for.
  int64_t ahead() const;
};

struct PeerNews {
  /// Limits the hashes that a server tells: two million tokens of one client.
  static constexpr size_t kMostPages = 32768;
  static constexpr int64_t kMostBytes = int64_t{1} << 20;  // of the JSON

  std::string server = {};   // a word of its own, for as long as it runs
  std::string version = {};  // of the pages: a sum of them
  ServerLoad load = {};
  std::optional<std::vector<PrefixHash>> pages = {};  // none: those of the version that was asked for
};

/// Returns the version of these pages of a server: it tells nothing of those of others.
std::string version_of(const std::string& server, const std::vector<PrefixHash>& pages);

Json news_json(const PeerNews& news);
/// Throws Error (kBadFile) for a text that is no such JSON.
PeerNews read_news(std::string_view text);

}  // namespace skald::serve
