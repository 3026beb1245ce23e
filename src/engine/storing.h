// Storing: prompts whose requests end when the store beyond memory has their pages.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/disk_tier.h"
#include "engine/prefix_index.h"
#include "engine/write_back.h"
#include "skald/engine.h"

namespace skald {

class Storing {
 public:
  /// What the store has of a prompt.
  struct Stored {
    RequestId id;
    StoredPrefix prefix;
  };

  /// `write_back` and `disk` must outlive it.
  Storing(const WriteBack& write_back, DiskTier& disk) : write_back_(write_back), disk_(disk) {}

  /// Waits for the pages of `prompt`, which are queued in the write-back.
  void add(RequestId id, const PrefixIndex::Namespace& ns, std::span<const TokenId> prompt);
  void forget(RequestId id) noexcept;
  void clear() noexcept { all_.clear(); }
  /// Returns whether next() has something to do.
  bool has_work() const;
  /// Returns one that is over: all of its pages were written, some were lost on their way, or the store fails.
  std::optional<Stored> next();

 private:
  struct One {
    RequestId id;
    PrefixIndex::Namespace ns;
    std::vector<TokenId> prompt;
    bool handed = false;          // all its pages were in the store's queue before `flushed`
    DiskTier::Done flushed = {};  // null: nothing is waited for
  };
  bool is_over(One& one);
  StoredPrefix stored(const One& one);

  const WriteBack& write_back_;
  DiskTier& disk_;
  std::list<One> all_;
};

}  // namespace skald
