#include "engine/disk_tier.h"

#include <algorithm>
#include <utility>

#include "kv/page_bytes.h"

namespace skald {

std::vector<Piece> pieces_of(const KvCache& cache, int64_t from, int64_t to) {
  std::vector<Piece> out;
  for (int64_t page = from; page < to; ++page)
    for (const RecordPart part : parts_of(cache, page * kPageKeys, to * kPageKeys)) out.push_back({page, part});
  return out;
}

size_t DiskReads::expect() {
  const std::lock_guard lock(mutex_);
  places_.emplace_back();
  return popped_ + places_.size() - 1;
}

void DiskReads::push(size_t place, std::optional<Payload> payload) noexcept {
  const std::lock_guard lock(mutex_);
  Place& at = places_[place - popped_];
  at.payload = std::move(payload);
  at.there = true;
}

bool DiskReads::empty() const {
  const std::lock_guard lock(mutex_);
  return places_.empty() || !places_.front().there;
}

std::optional<DiskReads::Payload> DiskReads::pop() {
  const std::lock_guard lock(mutex_);
  std::optional<Payload> out = std::move(places_.front().payload);
  places_.pop_front();
  ++popped_;
  return out;
}

DiskTier::DiskTier(PageStore& store, const KvCache& cache, const Sha256Sum& fingerprint, std::function<void()> wake)
    : store_(store), cache_(cache), fingerprint_(fingerprint), wake_(std::make_shared<Wake>()) {
  wake_->call = std::move(wake);
  store_.on_room(this, [wake = wake_] {
    const std::lock_guard lock(wake->mutex);
    if (wake->call) wake->call();
  });
}

DiskTier::~DiskTier() {
  store_.forget(this);
  const std::lock_guard lock(wake_->mutex);
  wake_->call = {};
}

// A prompt is asked for again and again while it grows.
std::span<const PageKey> DiskTier::keys(const std::string& scope, std::span<const TokenId> tokens) {
  const auto pages = tokens.size() / kPageKeys;
  size_t same = 0;
  if (scope == scope_) same = static_cast<size_t>(std::ranges::mismatch(tokens, tokens_).in1 - tokens.begin()) / kPageKeys;
  keys_.resize(std::min(keys_.size(), same));
  scope_ = scope;
  tokens_.assign(tokens.begin(), tokens.end());
  const PageKey root = root_key(fingerprint_, scope);
  for (size_t page = keys_.size(); page < pages; ++page)
    keys_.push_back(next_key(keys_.empty() ? root : keys_.back(), tokens.subspan(page * kPageKeys, kPageKeys)));
  return std::span(keys_).first(pages);
}

std::vector<Piece> DiskTier::find(const std::string& scope, std::span<const TokenId> tokens, int64_t from) {
  const std::span<const PageKey> all = keys(scope, tokens);
  const int64_t first = from / kPageKeys;
  if (first >= std::ssize(all)) return {};
  const auto has = [&](const Piece& piece) { return store_.has({all[static_cast<size_t>(piece.page)], piece.part}); };
  int64_t end = first;
  while (end < std::ssize(all) && has({end, {}})) ++end;
  // Pages before the first one that a window needs need nothing else.
  const auto can_end = [&](int64_t at) {
    for (int64_t page = at - 1; page >= first; --page) {
      const std::vector<RecordPart> parts = parts_of(cache_, page * kPageKeys, at * kPageKeys);
      if (!std::ranges::all_of(parts, [&](RecordPart part) { return has({page, part}); })) return false;
      if (parts.size() == 1) break;
    }
    return true;
  };
  while (end > first && !can_end(end)) --end;
  return pieces_of(cache_, first, end);
}

DiskTier::Done DiskTier::look(const std::string& scope, std::span<const TokenId> tokens, int64_t from, bool anew) {
  const std::span<const PageKey> all = keys(scope, tokens);
  std::vector<RecordName> names;
  for (int64_t page = from / kPageKeys; page < std::ssize(all); ++page)
    for (const RecordPart part : parts_of(cache_, page * kPageKeys, (page + 1) * kPageKeys))
      names.push_back({all[static_cast<size_t>(page)], part});
  return after([&](std::function<void()> done) { return store_.look(std::move(names), std::move(done), anew); });
}

DiskTier::Done DiskTier::flush() {
  return after([&](std::function<void()> done) { return store_.flush(std::move(done)); });
}

DiskTier::Done DiskTier::after(const std::function<bool(std::function<void()> done)>& ask) {
  auto is_over = std::make_shared<std::atomic<bool>>(false);
  const bool waits = ask([wake = wake_, is_over] {
    *is_over = true;
    const std::lock_guard lock(wake->mutex);
    if (wake->call) wake->call();
  });
  return waits ? is_over : nullptr;
}

void DiskTier::write(const RecordName& name, std::span<const TokenId> page, DiskReads::Payload payload) {
  store_.write(name, {page.begin(), page.end()}, std::move(payload));
}

void DiskTier::erase(const std::string& scope, std::span<const TokenId> tokens, int64_t page) {
  std::vector<RecordName> names;
  const std::span<const PageKey> all = keys(scope, tokens);
  for (const PageKey& key : all.subspan(std::min(all.size(), static_cast<size_t>(page))))
    for (int part = RecordPart::kCheckpoint; part < static_cast<int>(cache_.spec().groups.size()); ++part)
      names.push_back({key, {part}});
  store_.erase(names);
}

void DiskTier::read(const RecordName& name, std::span<const TokenId> page, std::shared_ptr<DiskReads> to) {
  const size_t place = to->expect();
  store_.read(name, {page.begin(), page.end()},
              [wake = wake_, to = std::move(to), place](std::optional<DiskReads::Payload> payload) {
                to->push(place, std::move(payload));
                const std::lock_guard lock(wake->mutex);
                if (wake->call) wake->call();
              });
}

}  // namespace skald
