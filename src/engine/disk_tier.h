// DiskTier: the pages of one engine's prompts in a store beyond memory, and those of them that continue a prefix in memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kv/cache.h"
#include "kv/disk/page_store.h"
#include "skald/types.h"

namespace skald {

/// A record of a prompt: of its page number `page`.
struct Piece {
  int64_t page = 0;
  RecordPart part = {};

  friend bool operator==(const Piece&, const Piece&) = default;
};

/// Returns those of pages [from, to) that a sequence of `to` pages needs.
std::vector<Piece> pieces_of(const KvCache& cache, int64_t from, int64_t to);

/// Payloads in the order in which they were asked for, in whatever order they arrive; from any thread.
class DiskReads {
 public:
  using Payload = PageStore::Payload;
  /// One more will come: its place is made now. Gives the number of the place.
  size_t expect();
  /// Puts the payload into its place. Takes no memory.
  void push(size_t place, std::optional<Payload> payload) noexcept;
  /// Returns whether the next one has not come.
  bool empty() const;
  /// Takes the next one, which is there: none where there was no such record.
  std::optional<Payload> pop();

 private:
  struct Place {
    bool there = false;
    std::optional<Payload> payload = {};
  };
  mutable std::mutex mutex_;
  std::deque<Place> places_;
  size_t popped_ = 0;
};

/// Used by the engine's thread.
class DiskTier {
 public:
  /// `store` and `cache` must outlive it. `wake`, called on another thread: something has arrived, or there is room to
  /// write.
  DiskTier(PageStore& store, const KvCache& cache, const Sha256Sum& fingerprint, std::function<void()> wake);
  ~DiskTier();
  DiskTier(const DiskTier&) = delete;
  DiskTier& operator=(const DiskTier&) = delete;

  /// Of the tokens' full pages; valid until the next call.
  std::span<const PageKey> keys(const std::string& scope, std::span<const TokenId> tokens);
  /// Finds the pieces that are known to be there, to go on from the first `from` tokens, a multiple of kPageKeys, as far as
  /// they go: pages in order, of each its parts.
  std::vector<Piece> find(const std::string& scope, std::span<const TokenId> tokens, int64_t from);

  /// Becomes true in the end; `wake` is called then.
  using Done = std::shared_ptr<const std::atomic<bool>>;
  /// Has the store look for the records of the tokens' pages from `from` on, where it is not known whether they are there.
  /// None where there is nothing to look for; else find() knows in the end. `anew`: for those too that were not there a
  /// moment ago.
  Done look(const std::string& scope, std::span<const TokenId> tokens, int64_t from, bool anew = false);
  /// Waits for what is to be written now, as PageStore::flush(). None where nothing is.
  Done flush();

  bool can_write() const { return store_.can_write(); }
  bool is_down() const { return store_.is_down(); }
  bool has(const RecordName& name) const { return store_.has(name); }
  void write(const RecordName& name, std::span<const TokenId> page, DiskReads::Payload payload);
  /// Tells `to` of the record, which expects it from now on. Where this throws, `to` is of no use any more.
  void read(const RecordName& name, std::span<const TokenId> page, std::shared_ptr<DiskReads> to);
  void use(std::span<const RecordName> path) { store_.use(path); }
  /// Of the tokens' pages from number `page` on.
  void erase(const std::string& scope, std::span<const TokenId> tokens, int64_t page);

 private:
  struct Wake {
    std::mutex mutex;
    std::function<void()> call;
  };
  Done after(const std::function<bool(std::function<void()> done)>& ask);

  PageStore& store_;
  const KvCache& cache_;
  Sha256Sum fingerprint_;
  std::shared_ptr<Wake> wake_;  // outlives reads that are on their way
  std::string scope_;           // of the last keys
  std::vector<TokenId> tokens_;
  std::vector<PageKey> keys_;
};

}  // namespace skald
