// What prompts computed, on its way to the disk and back.
#include <algorithm>
#include <chrono>
#include <utility>

#include "base/guarded.h"
#include "engine/loop.h"
#include "kv/page_bytes.h"

namespace skald {
namespace {

constexpr std::string_view kWho = "pages on their way from or to a disk";
constexpr int64_t kMostRestores = 4, kMostLeaving = 1024;
constexpr int kMostLookups = 4;
constexpr double kLeastSeconds = 2e-3, kShare = 0.05;  // between two steps; of a step

std::span<const TokenId> page_of(std::span<const TokenId> tokens, int64_t page) {
  return tokens.subspan(static_cast<size_t>(page * kPageKeys), static_cast<size_t>(kPageKeys));
}

}  // namespace

// Copies between cache and buffers take a small part of the time.
void Loop::move_pages() {
  const Clock::time_point end = o_.now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                                               std::max(kLeastSeconds, kShare * last_step_seconds_)));
  for (auto r = restores_.begin(); r != restores_.end();) {
    const auto at = r++;
    move_in(at, end);
  }
  while (!saves_.empty() && save_some(saves_.front(), end)) saves_.pop_front();
  write_until(end);
}

void Loop::flush() { write_until(Clock::time_point::max()); }

// What cannot be read of the cache is not written.
void Loop::write_until(Clock::time_point end) {
  while (!leaving_.empty() && o_.disk->can_write()) {
    bool over = true;
    guarded(kWho, [&] { over = write_some(leaving_.front(), end); });
    if (!over) return;
    leaving_.pop_front();
  }
}

bool Loop::moves_pages() const {
  return !saves_.empty() || (!leaving_.empty() && o_.disk->can_write()) ||
         std::ranges::any_of(restores_, [](const Restore& r) { return r.has_work(); });
}

// Whether a request is to wait for pages from the disk; it is not asked again when it has got them.
bool Loop::waits_for_disk(Waiting& next) {
  if (!o_.disk || next.disk_lookups >= kMostLookups) return false;
  KvSequence fresh = stepper_.new_sequence();
  if (!shares(next.request, fresh) || prefix_of(next.request.prompt) > 0) return false;
  const PrefixIndex::Space space = space_of(next.request);
  const std::span<const TokenId> prompt = takeable(next.request.prompt);
  Past past = cached_->take(space, prompt, {}, std::move(fresh));
  std::vector<Piece> pieces = o_.disk->find(space.scope, prompt, past.kv.length());
  if (pieces.empty()) return false;
  if (std::ssize(restores_) >= kMostRestores || comes_already(space, prompt, past.kv.length())) return next.restoring = true;
  const int64_t end = (pieces.back().page + 1) * kPageKeys;
  if (!obtainable().covers(past.kv.need(end))) return false;
  ++next.disk_lookups;
  restores_.emplace_back(next.id, space, std::vector<TokenId>(prompt.begin(), prompt.end()), std::move(past.kv),
                         std::move(pieces));
  restores_.back().ask(*o_.disk, stepper_.kv());
  return next.restoring = true;
}

// Whether somebody else has the next page read.
bool Loop::comes_already(const PrefixIndex::Space& space, std::span<const TokenId> prompt, int64_t from) const {
  const std::span<const TokenId> next = prompt.first(static_cast<size_t>(from + kPageKeys));
  return std::ranges::any_of(restores_, [&](const Restore& r) {
    return r.space().scope == space.scope && r.space().generated == space.generated && r.end() >= std::ssize(next) &&
           std::ranges::equal(next, r.tokens().first(next.size()));
  });
}

void Loop::move_in(std::list<Restore>::iterator at, Clock::time_point end) {
  Restore& r = *at;
  Restore::State state = Restore::State::kGoesOn;
  const auto go_on = [&] {
    while (r.has_work()) {
      make_room(r.need());
      if (state = r.apply(); state != Restore::State::kGoesOn) return;
      if (o_.now() > end) break;
    }
    if (!r.slot) r.ask(*o_.disk, stepper_.kv());
  };
  if (!guarded(kWho, go_on)) state = Restore::State::kNoRoom;
  if (state != Restore::State::kGoesOn) end_restore(at, state);
}

// Pages that came are kept, as far as a sequence can begin with them; who waited for them, or to be told, goes on.
void Loop::end_restore(std::list<Restore>::iterator at, Restore::State state) noexcept {
  std::list<Restore> ended;
  ended.splice(ended.end(), restores_, at);
  Restore& restore = ended.front();
  const KvSequence& kv = restore.finish();
  bool whole = kv.length() == restore.end(), used = kv.length() > restore.from() && (whole || !kv.forgets());
  const auto keep = [&] { cached_->insert(restore.space(), restore.tokens().first(static_cast<size_t>(kv.length())), kv); };
  if (used && !guarded(kWho, keep)) {
    whole = used = false;
    state = Restore::State::kNoRoom;
  }
  if (Waiting* w = queue_.find(restore.id())) {
    w->from_disk = used ? kv.length() - restore.from() : 0;
    if (whole) w->disk_lookups = kMostLookups;
  }
  if (restore.slot) end_slot(restore, whole, state);
  queue_.end_restoring(
      [&](const Waiting& w) { return std::ranges::none_of(restores_, [&](const Restore& r) { return r.id() == w.id; }); });
}

void Loop::drop_restore(RequestId id) {
  const auto at = std::ranges::find(restores_, id, &Restore::id);
  if (id && at != restores_.end()) end_restore(at, Restore::State::kNoRoom);
}

// Who needs pages gets those of what has not begun.
bool Loop::give_up_restore() {
  const auto last = std::ranges::find_if(restores_.rbegin(), restores_.rend(), [](const Restore& r) { return r.id() != 0; });
  if (last == restores_.rend()) return false;
  if (Waiting* w = queue_.find(last->id())) w->disk_lookups = kMostLookups;
  drop_restore(last->id());
  return true;
}

// The prompt's full pages are to be written.
void Loop::leave_on_disk(const PrefixIndex::Space& space, std::span<const TokenId> prompt) {
  if (!o_.disk || std::ssize(prompt) < kPageKeys) return;
  if (std::ssize(leaving_) >= kMostLeaving) leaving_.pop_front();
  leaving_.push_back({space, {prompt.begin(), prompt.end()}});
}

// True when all of it is written, or gone.
bool Loop::write_some(Leaving& l, Clock::time_point end) {
  const std::span<const PageKey> keys = o_.disk->keys(l.space.scope, l.tokens);
  const std::vector<PrefixIndex::Page> pages = cached_->pages_of(l.space, l.tokens);
  const auto n = std::ssize(pages);
  while (l.page < n) {
    if (o_.now() > end || !o_.disk->can_write()) return false;
    if (!write_page(l, pages[static_cast<size_t>(l.page)], keys[static_cast<size_t>(l.page)])) break;
    ++l.page;
  }
  std::vector<RecordName> path;
  for (int64_t page = 0; page < l.page; ++page)
    for (const RecordPart part : l.parts[static_cast<size_t>(page)]) path.push_back({keys[static_cast<size_t>(page)], part});
  o_.disk->use(path);
  return true;
}

// False where the page was not made as a prompt: nor were those behind it.
bool Loop::write_page(Leaving& l, const PrefixIndex::Page& page, const PageKey& key) {
  const KvCache& cache = stepper_.kv();
  const std::span<const TokenId> tokens = page_of(l.tokens, l.page);
  const auto write = [&](RecordPart part, auto read) {
    const bool there = o_.disk->has({key, part});
    std::optional<PageStore::Payload> payload;
    if (!there) payload = read();
    if (payload) o_.disk->write({key, part}, tokens, std::move(*payload));
    if (there || payload) l.parts.back().push_back(part);
    return there || payload;
  };
  l.parts.emplace_back();
  if (!write({}, [&] { return read_page(cache, *page.pages, {}); })) return false;
  const int64_t end = page.pages->end;
  // As a sequence would need that ends here: what it has of windows, and of a cut.
  for (const RecordPart part : parts_of(cache, page.pages->first, end)) {
    if (part.is_page()) continue;
    if (part.number != RecordPart::kCut)
      write(part, [&] { return read_page(cache, *page.pages, part); });
    else if (page.is_cut)
      write(part, [&] { return read_cut(l.space, std::span(l.tokens).first(static_cast<size_t>(end))); });
  }
  return true;
}

std::optional<PageStore::Payload> Loop::read_cut(const PrefixIndex::Space& space, std::span<const TokenId> tokens) {
  const Past past = cached_->take(space, tokens, {}, stepper_.new_sequence());
  if (past.kv.length() != std::ssize(tokens)) return {};
  return SequenceBytes::read_cut(past.kv);
}

}  // namespace skald
