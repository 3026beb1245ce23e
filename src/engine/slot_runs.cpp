#include "engine/slot_runs.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.h"
#include "kv/page_bytes.h"

namespace skald {
namespace {

[[noreturn]] void fail_of_pages() { fail(Errc::kBadFile, "the pages of the file are not those of this cache"); }
[[noreturn]] void fail_of_room() { fail(Errc::kNoMemory, "the cache has no room for the pages of the file now"); }
[[noreturn]] void fail_given_up() { fail(Errc::kBusy, "the engine gave it up"); }

/// Tells exceptions of `f` by the promise.
template <class T, class F>
void telling(KeptPromise<T>& promise, const F& f) noexcept {
  try {
    f();
  } catch (const std::exception&) {
    promise.set_exception(std::current_exception());
  }
}

}  // namespace

void SlotRuns::want_prefixes() const {
  if (!prefixes_) fail(Errc::kUnsupported, "slots are saved from the prefix cache, and restored into it: it is off");
}

SlotRuns::Run& SlotRuns::run_of(int64_t slot, const std::string& owner) {
  const bool there = slot >= 0 && slot < std::ssize(runs_);
  if (!there || runs_[static_cast<size_t>(slot)].tokens.empty() ||
      !runs_[static_cast<size_t>(slot)].ns.scope.starts_with(owner))
    fail(Errc::kNotFound, "slot {} has run nothing of yours", slot);
  return runs_[static_cast<size_t>(slot)];
}

void SlotRuns::save(int64_t slot, const std::string& owner, KeptPromise<SlotImage> promise) {
  telling(promise, [&] {
    saves_.push_back(save_of(slot, owner));
    saves_.back().promise.emplace(std::move(promise));
  });
}

SlotRuns::Save SlotRuns::save_of(int64_t slot, const std::string& owner) {
  want_prefixes();
  const Run& run = run_of(slot, owner);
  Past past = prefixes_->match(run.ns, run.tokens, run.ns.reuse());
  std::vector<Piece> pieces = pieces_of(prefixes_->cache(), 0, past.kv.length() / kPageKeys);
  SlotImage image{.scope = run.ns.scope.substr(owner.size()), .generated = run.ns.generated, .tokens = run.tokens};
  return {run.ns, std::move(past.kv), std::move(pieces), std::move(image)};
}

void SlotRuns::move(const Restores::Over& is_over) {
  while (!saves_.empty()) {
    Save& save = saves_.front();
    bool over = true;
    telling(*save.promise, [&] {
      over = read_some(save, is_over);
      if (over) save.promise->set_value(std::move(save.image));
    });
    if (!over) return;
    saves_.pop_front();
  }
}

// True when all is there.
bool SlotRuns::read_some(Save& save, const Restores::Over& is_over) const {
  const KvCache& cache = prefixes_->cache();
  while (save.image.records.size() < save.pieces.size()) {
    if (is_over()) return false;
    const Piece piece = save.pieces[save.image.records.size()];
    const int64_t first = piece.page * kPageKeys;
    std::optional<PageStore::Payload> payload =
        piece.part.number == RecordPart::kCheckpoint
            ? SequenceBytes::read_checkpoint(save.kv)
            : read_page(cache, save.kv.share(first, first + kPageKeys), piece.part, save.ns.reuse());
    if (!payload) {
      save.image.records.clear();  // its tokens alone are as good
      break;
    }
    save.image.records.push_back({piece, std::move(*payload)});
  }
  return true;
}

void SlotRuns::restore(int64_t slot, const std::string& owner, SlotImage image, KeptPromise<int64_t> promise,
                       const Restores::HasRoom& has_room) {
  const auto told = std::make_shared<KeptPromise<int64_t>>(std::move(promise));
  telling(*told, [&] { begin_restore(slot, owner, image, told, has_room); });
}

void SlotRuns::begin_restore(int64_t slot, const std::string& owner, SlotImage& image,
                             const std::shared_ptr<KeptPromise<int64_t>>& promise, const Restores::HasRoom& has_room) {
  want_prefixes();
  if (slot < 0 || slot >= std::ssize(runs_)) fail(Errc::kNotFound, "there is no slot {}", slot);
  const Run& there = runs_[static_cast<size_t>(slot)];
  if (!there.tokens.empty() && !there.ns.scope.starts_with(owner)) fail(Errc::kNotFound, "slot {} is not yours", slot);
  std::vector<Piece> pieces = pieces_of(prefixes_->cache(), 0, image.n_pages());
  if (!std::ranges::equal(pieces, image.records, {}, {}, &SlotImage::Record::piece) || std::ssize(image.tokens) > n_ctx_)
    fail_of_pages();
  const PrefixIndex::Namespace ns{owner + image.scope, image.generated};
  const std::span<const TokenId> paged = std::span(image.tokens).first(static_cast<size_t>(image.n_pages() * kPageKeys));
  Past past = prefixes_->match(ns, paged, ns.reuse());
  const int64_t from = past.kv.length();
  const auto is_there = [from](const Piece& piece) { return piece.page * kPageKeys < from; };
  std::erase_if(pieces, is_there);
  if (!pieces.empty() && !has_room(past.kv.need(std::ssize(paged)))) fail_of_room();
  Run run{.ns = ns, .tokens = std::move(image.tokens), .n_prompt = 0};
  run.n_prompt = std::ssize(run.tokens);
  if (pieces.empty()) {
    promise->set_value(run.n_prompt);
    return remember(slot, std::move(run));
  }
  Restore restore(0, ns, {run.tokens.begin(), run.tokens.begin() + std::ssize(paged)}, std::move(past.kv),
                  std::move(pieces));
  for (SlotImage::Record& record : image.records) {
    if (is_there(record.piece)) continue;
    const size_t place = restore.reads().expect();
    restore.reads().push(place, std::move(record.payload));
  }
  restore.when_over = [this, slot, promise, run = std::move(run)](Restore::State state) {
    telling(*promise, [&] {
      if (state == Restore::State::kNoRoom) fail_of_room();
      if (state == Restore::State::kWaits) fail_given_up();
      if (state != Restore::State::kDone) fail_of_pages();
      remember(slot, run);
      promise->set_value(run.n_prompt);
    });
  };
  prefixes_->restore(std::move(restore));
}

void SlotRuns::erase(int64_t slot, const std::string& owner, KeptPromise<int64_t> promise) {
  telling(promise, [&] {
    Run& run = run_of(slot, owner);
    const int64_t n = std::ssize(run.tokens);
    if (prefixes_) prefixes_->erase(run.ns, run.tokens);
    run = {};
    promise.set_value(n);
  });
}

void SlotRuns::give_up() noexcept {
  for (Save& save : saves_) telling(*save.promise, [] { fail_given_up(); });
  saves_.clear();
}

}  // namespace skald
