// What places ran last: saved, restored and erased by their number.
#include <algorithm>
#include <utility>

#include "base/error.h"
#include "engine/loop.h"
#include "kv/page_bytes.h"

namespace skald {

// A place remembers what it ran last.
void Loop::remember(const Job& job, const Branch& branch) {
  if (!branch.seated()) return;
  SlotRun& run = slot_runs_[static_cast<size_t>(branch.seat)];
  run = {.space = space_of(job.request()),
         .tokens = {branch.tokens().begin(), branch.tokens().end()},
         .n_prompt = branch.n_prompt(),
         .n_cached = job.n_cached()};
}

Loop::SlotRun& Loop::slot_run(int64_t slot, const std::string& owner) {
  const bool there = slot >= 0 && slot < std::ssize(slot_runs_);
  if (!there || slot_runs_[static_cast<size_t>(slot)].tokens.empty() ||
      !slot_runs_[static_cast<size_t>(slot)].space.scope.starts_with(owner))
    fail(Errc::kNotFound, "slot {} has run nothing of yours", slot);
  return slot_runs_[static_cast<size_t>(slot)];
}

void Loop::save_slot(int64_t slot, const std::string& owner, KeptPromise<SlotImage> promise) {
  try {
    saves_.push_back(save_of(slot, owner));
    saves_.back().promise.emplace(std::move(promise));
  } catch (const std::exception&) {
    promise.set_exception(std::current_exception());
  }
}

Loop::Save Loop::save_of(int64_t slot, const std::string& owner) {
  if (!cached_) fail(Errc::kUnsupported, "slots are saved from the prefix cache, which is off");
  const SlotRun& run = slot_run(slot, owner);
  Past past = cached_->take(run.space, run.tokens, {}, stepper_.new_sequence());
  std::vector<Piece> pieces = pieces_of(stepper_.kv(), 0, past.kv.length() / kPageKeys);
  SlotImage image{.scope = run.space.scope.substr(owner.size()), .generated = run.space.generated, .tokens = run.tokens};
  return {std::move(past.kv), std::move(pieces), std::move(image)};
}

// True when it is over.
bool Loop::save_some(Save& save, Clock::time_point end) {
  try {
    if (!read_some(save, end)) return false;
    save.promise->set_value(std::move(save.image));
  } catch (const std::exception&) {
    save.promise->set_exception(std::current_exception());
  }
  return true;
}

// True when all is there.
bool Loop::read_some(Save& save, Clock::time_point end) const {
  const KvCache& cache = stepper_.kv();
  while (save.image.records.size() < save.pieces.size()) {
    if (o_.now() > end) return false;
    const Piece piece = save.pieces[save.image.records.size()];
    const int64_t first = piece.page * kPageKeys;
    std::optional<PageStore::Payload> payload = piece.part.number == RecordPart::kCut
                                                    ? SequenceBytes::read_cut(save.kv)
                                                    : read_page(cache, save.kv.share(first, first + kPageKeys), piece.part);
    if (!payload) {
      save.image.records.clear();  // its tokens alone are as good
      break;
    }
    save.image.records.push_back({piece, std::move(*payload)});
  }
  return true;
}

void Loop::restore_slot(int64_t slot, const std::string& owner, SlotImage image, KeptPromise<int64_t> promise) {
  try {
    if (!cached_) fail(Errc::kUnsupported, "slots are restored into the prefix cache, which is off");
    if (slot < 0 || slot >= std::ssize(slot_runs_)) fail(Errc::kNotFound, "there is no slot {}", slot);
    const SlotRun& there = slot_runs_[static_cast<size_t>(slot)];
    if (!there.tokens.empty() && !there.space.scope.starts_with(owner)) fail(Errc::kNotFound, "slot {} is not yours", slot);
    std::vector<Piece> pieces = pieces_of(stepper_.kv(), 0, image.n_pages());
    if (!std::ranges::equal(pieces, image.records, {}, {}, &SlotImage::Record::piece) ||
        std::ssize(image.tokens) > o_.limits.n_ctx)
      fail(Errc::kBadFile, "the pages of the file are not those of this cache");
    const PrefixIndex::Space space{owner + image.scope, image.generated};
    const std::span<const TokenId> paged = std::span(image.tokens).first(static_cast<size_t>(image.n_pages() * kPageKeys));
    Past past = cached_->take(space, paged, {}, stepper_.new_sequence());
    const int64_t from = past.kv.length(), n_tokens = std::ssize(image.tokens);
    std::erase_if(pieces, [&](const Piece& piece) { return piece.page * kPageKeys < from; });
    if (!pieces.empty()) {
      if (!obtainable().covers(past.kv.need(std::ssize(paged))))
        fail(Errc::kNoMemory, "the cache has no room for the {} tokens of the file now", n_tokens);
      std::list<Restore> made;
      Restore& r = made.emplace_back(0, space, std::vector<TokenId>(paged.begin(), paged.end()), std::move(past.kv),
                                     std::move(pieces));
      for (SlotImage::Record& record : image.records)
        if (record.piece.page * kPageKeys >= from) {
          r.reads().expect();
          r.reads().push(std::move(record.payload));
        }
      r.slot.emplace(slot, std::move(image.tokens), std::move(promise));
      restores_.splice(restores_.end(), made);
      return;
    }
    take_as_run(slot, space, std::move(image.tokens));
    promise.set_value(n_tokens);
  } catch (const std::exception&) {
    promise.set_exception(std::current_exception());
  }
}

void Loop::take_as_run(int64_t slot, const PrefixIndex::Space& space, std::vector<TokenId> tokens) {
  const auto n = std::ssize(tokens);
  slot_runs_[static_cast<size_t>(slot)] = {.space = space, .tokens = std::move(tokens), .n_prompt = n};
}

void Loop::erase_slot(int64_t slot, const std::string& owner, KeptPromise<int64_t> promise) {
  try {
    SlotRun& run = slot_run(slot, owner);
    const int64_t n = std::ssize(run.tokens);
    if (cached_) cached_->erase(run.space, run.tokens);
    const int64_t left = cached_ ? cached_->find(run.space, run.tokens) / kPageKeys : 0;
    if (o_.disk) o_.disk->erase(run.space.scope, run.tokens, left);
    run = {};
    promise.set_value(n);
  } catch (const std::exception&) {
    promise.set_exception(std::current_exception());
  }
}

void Loop::end_slot(Restore& restore, bool whole, Restore::State state) noexcept {
  Restore::Slot& slot = *restore.slot;
  try {
    if (!whole && state == Restore::State::kNoRoom)
      fail(Errc::kNoMemory, "the cache has no room for the pages of the file now");
    if (!whole) fail(Errc::kBadFile, "the pages of the file are not those of this cache");
    const int64_t n = std::ssize(slot.tokens);
    take_as_run(slot.number, restore.space(), std::move(slot.tokens));
    slot.promise.set_value(n);
  } catch (const std::exception&) {
    slot.promise.set_exception(std::current_exception());
  }
}

// Whoever waits is told that nothing comes any more.
void Loop::drop_slot_work(const std::exception_ptr& error) noexcept {
  for (Save& save : saves_) save.promise->set_exception(error);
  saves_.clear();
  for (Restore& restore : restores_)
    if (restore.slot) restore.slot->promise.set_exception(error);
  restores_.clear();
}

}  // namespace skald
