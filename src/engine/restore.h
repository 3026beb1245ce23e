// Restore: a prompt's pages on their way from elsewhere into the cache.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/disk_tier.h"
#include "engine/kept_promise.h"
#include "engine/prefix_index.h"
#include "kv/sequence.h"
#include "skald/engine.h"

namespace skald {

class Restore {
 public:
  enum class State : uint8_t { kWaits, kGoesOn, kDone, kNoRoom, kFailed };

  /// Goes on from `kv`, which holds the first tokens of `tokens`. `pieces`, as DiskTier::find() gives them, come to
  /// reads() in this order.
  Restore(RequestId id, PrefixIndex::Space space, std::vector<TokenId> tokens, KvSequence kv, std::vector<Piece> pieces);

  RequestId id() const { return id_; }  // that waits for it
  const PrefixIndex::Space& space() const { return space_; }
  /// The tokens whose pages are there, or are still to come.
  std::span<const TokenId> tokens() const { return tokens_; }
  const KvSequence& kv() const { return kv_; }
  int64_t from() const { return from_; }  // tokens that were there before
  int64_t end() const { return std::ssize(tokens_); }

  DiskReads& reads() { return *reads_; }
  /// Asks the disk for what comes next, not more than a few pages ahead.
  void ask(DiskTier& disk, const KvCache& cache);
  /// Whether apply() has something to do.
  bool has_work() const { return !reads_->empty(); }
  /// Room for the next page, which has to be there.
  KvRoom need() const { return kv_.need(next_end()); }
  /// Puts the next piece into its page. kFailed where it is absent, or is not what it should be.
  State apply();
  /// What did not become a page is given up.
  KvSequence& finish();

  /// Of a place that is to be as if it had run these tokens; the promise is their number.
  struct Slot {
    int64_t number;
    std::vector<TokenId> tokens;
    KeptPromise<int64_t> promise;
  };
  std::optional<Slot> slot = {};

 private:
  int64_t next_end() const { return std::min(end(), kv_.length() + kPageKeys); }

  RequestId id_;
  PrefixIndex::Space space_;
  std::vector<TokenId> tokens_;
  KvSequence kv_;
  std::vector<Piece> pieces_;
  std::shared_ptr<DiskReads> reads_ = std::make_shared<DiskReads>();
  int64_t from_;
  size_t asked_ = 0, applied_ = 0;
};

}  // namespace skald
