// PrefixCache: cached prefixes: pages of prompts in memory and on disk, for requests whose prompts begin alike.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "engine/disk_tier.h"
#include "engine/prefix_index.h"
#include "engine/restores.h"
#include "engine/storing.h"
#include "engine/write_back.h"

namespace skald {

class PrefixCache {
 public:
  using Namespace = PrefixIndex::Namespace;
  using Over = Restores::Over;

  /// `cache` and `disk`, which may be null, must outlive it. `reports`: as in PrefixIndex.
  explicit PrefixCache(KvCache& cache, DiskTier* disk = nullptr, PrefixReports reports = {});

  const KvCache& cache() const { return cache_; }

  // In memory: as PrefixIndex says.
  int64_t find(const Namespace& ns, std::span<const TokenId> tokens) const { return tree_.find(ns, tokens); }
  Past match(const Namespace& ns, std::span<const TokenId> tokens, const ReusePolicy& reuse = {}) {
    return tree_.take(ns, tokens, reuse);
  }
  bool keep(const Namespace& ns, std::span<const TokenId> tokens, const KvSequence& kv, bool passing = false) {
    return tree_.insert(ns, tokens, kv, passing);
  }
  void renew(const Namespace& ns, std::span<const TokenId> tokens) { tree_.renew(ns, tokens); }
  void drop_checkpoint(const Namespace& ns, std::span<const TokenId> tokens) { tree_.drop_checkpoint(ns, tokens); }
  bool evict_some() { return tree_.evict_some(); }
  void make_room(const KvRoom& need) { tree_.make_room(need); }
  KvRoom reclaimable() const { return tree_.reclaimable(); }
  int64_t evictions() const { return tree_.evictions(); }
  /// Erases the pages of the tokens in memory, on disk and on their way there. It goes from their end up to where the texts
  /// of others go on or are computed.
  void erase(const Namespace& ns, std::span<const TokenId> tokens);

  // From the disk: as Restores says.
  /// Returns whether the request has to wait for pages from the disk. `anew`: as in DiskTier::look().
  bool fetch(RequestId id, const Namespace& ns, std::span<const TokenId> prompt, const Restores::HasRoom& has_room,
             bool anew = false) {
    return restores_.fetch(id, ns, prompt, has_room, anew);
  }
  bool waits(RequestId id) const { return restores_.waits(id); }
  int64_t forget(RequestId id) noexcept { return restores_.forget(id); }
  bool give_up_restore() { return restores_.give_up_one(); }
  void restore(Restore restore) { restores_.add(std::move(restore)); }

  /// Queues the full pages of a prompt for the disk, if there is one.
  void write_back(const Namespace& ns, std::span<const TokenId> prompt);
  /// Queues them for a request that ends when they are written: next_stored() tells. There must be a disk.
  void store(RequestId id, const Namespace& ns, std::span<const TokenId> prompt);
  std::optional<Storing::Stored> next_stored() { return storing_ ? storing_->next() : std::nullopt; }
  void forget_stored(RequestId id) noexcept {
    if (storing_) storing_->forget(id);
  }
  /// Pages that are queued and not handed to the disk.
  int64_t unwritten() const { return write_back_ ? write_back_->pages() : 0; }

  bool has_work() const {
    return restores_.has_work() || (write_back_ && (write_back_->has_work() || storing_->has_work()));
  }
  /// Moves pages from and to the disk.
  void move(const Over& is_over);
  /// Hands queued pages to the disk while it takes some.
  void write(const Over& is_over);
  /// Ends all restores, and writes no queued page.
  void give_up_moves() noexcept;

 private:
  KvCache& cache_;
  DiskTier* disk_;
  PrefixIndex tree_;
  Restores restores_;
  std::optional<WriteBack> write_back_;  // where there is a disk
  std::optional<Storing> storing_;       // likewise
};

}  // namespace skald
