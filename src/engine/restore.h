// Restore: the pages of a prompt on their way from elsewhere into the cache.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/disk_tier.h"
#include "engine/prefix_index.h"
#include "kv/sequence.h"
#include "skald/engine.h"

namespace skald {

class Restore {
 public:
  enum class State : uint8_t { kWaits, kGoesOn, kDone, kNoRoom, kFailed };

  /// Goes on from `kv`, which holds the first tokens of `tokens`. `pieces`, as DiskTier::find() gives them, come to
  /// reads() in this order.
  Restore(RequestId id, PrefixIndex::Namespace ns, std::vector<TokenId> tokens, KvSequence kv, std::vector<Piece> pieces);

  RequestId id() const { return id_; }  // that waits for it; 0: none
  const PrefixIndex::Namespace& ns() const { return namespace_; }
  /// Returns the tokens whose pages are there, or are still to come.
  std::span<const TokenId> tokens() const { return tokens_; }
  const KvSequence& kv() const { return kv_; }
  int64_t from() const { return from_; }  // tokens that were there before
  int64_t end() const { return std::ssize(tokens_); }

  DiskReads& reads() { return *reads_; }
  /// Asks the disk for the next pieces, not more than a few pages ahead.
  void ask(DiskTier& disk, const KvCache& cache);
  /// Returns whether apply() has something to do.
  bool has_work() const { return !reads_->empty(); }
  /// Returns the room for the next page, which has to be there.
  KvRoom need() const { return kv_.need(next_end()); }
  /// Puts the next piece into its page. kFailed where one is absent, or is damaged, and none is still to be read.
  State apply();
  /// Pieces that did not become a page are given up.
  KvSequence& finish();

  /// Called at the end, with kDone where all tokens have their pages; may be empty.
  std::function<void(State state)> when_over = {};

 private:
  State fail();
  int64_t next_end() const { return failed_ ? kv_.length() : std::min(end(), kv_.length() + kPageKeys); }

  RequestId id_;
  PrefixIndex::Namespace namespace_;
  std::vector<TokenId> tokens_;
  KvSequence kv_;
  std::vector<Piece> pieces_;
  std::shared_ptr<DiskReads> reads_ = std::make_shared<DiskReads>();
  int64_t from_;
  size_t asked_ = 0, applied_ = 0;
  bool failed_ = false;
};

}  // namespace skald
