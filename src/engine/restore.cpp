#include "engine/restore.h"

#include <utility>

#include "kv/page_bytes.h"

namespace skald {
namespace {

// That are asked for and not yet in the cache.
constexpr int64_t kMostAhead = int64_t{64} << 20;

}  // namespace

Restore::Restore(RequestId id, PrefixIndex::Namespace ns, std::vector<TokenId> tokens, KvSequence kv,
                 std::vector<Piece> pieces)
    : id_(id),
      namespace_(std::move(ns)),
      tokens_(std::move(tokens)),
      kv_(std::move(kv)),
      pieces_(std::move(pieces)),
      from_(kv_.length()) {
  tokens_.resize(static_cast<size_t>((pieces_.back().page + 1) * kPageKeys));
}

void Restore::ask(DiskTier& disk, const KvCache& cache) {
  const auto bytes = [&](const Piece& piece) { return payload_bytes(cache, piece.part, piece.page * kPageKeys); };
  int64_t ahead = 0;
  for (size_t i = applied_; i < asked_; ++i) ahead += bytes(pieces_[i]);
  if (failed_ || asked_ == pieces_.size() || ahead >= kMostAhead) return;
  const std::vector<PageKey> keys = [&] {
    const std::span<const PageKey> all = disk.keys(namespace_.scope, tokens_);
    return std::vector<PageKey>(all.begin(), all.end());
  }();
  for (; asked_ < pieces_.size() && ahead < kMostAhead; ++asked_) {
    const Piece& piece = pieces_[asked_];
    const auto page = static_cast<size_t>(piece.page);
    disk.read({keys[page], piece.part}, std::span(tokens_).subspan(page * kPageKeys, kPageKeys), reads_);
    ahead += bytes(piece);
  }
}

Restore::State Restore::apply() {
  if (reads_->empty()) return State::kWaits;
  const std::optional<DiskReads::Payload> payload = reads_->pop();
  const Piece& piece = pieces_[applied_++];
  if (failed_ || !payload) return fail();
  if (piece.part.is_page() && !kv_.reserve(next_end())) return State::kNoRoom;
  if (!SequenceBytes::write(kv_, piece.part, *payload)) return fail();
  const bool is_last = applied_ == pieces_.size();
  if (is_last || pieces_[applied_].page != piece.page) SequenceBytes::end_page(kv_);
  return is_last ? State::kDone : State::kGoesOn;
}

// A page that is still to be read counts as there: if it is damaged too, the page that is computed for it would not be
// written.
Restore::State Restore::fail() {
  failed_ = true;
  return applied_ < asked_ ? State::kGoesOn : State::kFailed;
}

KvSequence& Restore::finish() {
  kv_.unreserve();
  return kv_;
}

}  // namespace skald
