#include "kv/disk/page_store.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/guarded.h"
#include "base/log.h"

namespace skald {

static constexpr std::string_view kWho = "the prefix cache's disk";

PageStore::PageStore(const std::string& folder, int64_t most_bytes) : folder_(folder, most_bytes) {
  thread_ = std::thread([this] { run(); });
}

PageStore::~PageStore() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  ready_.notify_one();
  thread_.join();
}

bool PageStore::has(const RecordName& name) {
  {
    const std::lock_guard lock(mutex_);
    if (being_written_.contains(name)) return unwanted_ != name;
    if (erased_.contains(name)) return false;
  }
  return folder_.has(name);
}

bool PageStore::can_write() const {
  const std::lock_guard lock(mutex_);
  return waiting_bytes_ < kMostWaiting;
}

void PageStore::write(const RecordName& name, std::vector<TokenId> tokens, Payload payload) {
  {
    const std::lock_guard lock(mutex_);
    if (unwanted_ == name) unwanted_.reset();
    if (folder_.knows(name) || being_written_.contains(name)) return;
    const int64_t bytes = std::ssize(payload);
    writes_.push_back({name, std::move(tokens), std::move(payload)});
    try {
      being_written_.emplace(name, 0);
    } catch (...) {
      writes_.pop_back();
      throw;
    }
    waiting_bytes_ += bytes;
  }
  ready_.notify_one();
}

void PageStore::read(const RecordName& name, std::vector<TokenId> tokens, Done done) {
  {
    const std::lock_guard lock(mutex_);
    reads_.push_back({name, std::move(tokens), std::move(done)});
  }
  ready_.notify_one();
}

void PageStore::use(std::span<const RecordName> path) {
  {
    const std::lock_guard lock(mutex_);
    for (const RecordName& name : std::views::reverse(path)) use_now(name);
  }
  ready_.notify_one();
}

// The caller holds the lock.
void PageStore::use_now(const RecordName& name) {
  const int64_t used = folder_.next_use();
  if (const auto waits = being_written_.find(name); waits != being_written_.end()) waits->second = used;
  if (folder_.use(name, used)) uses_[name] = used;
}

void PageStore::erase(std::span<const RecordName> names) {
  {
    const std::lock_guard lock(mutex_);
    for (const RecordName& name : names) {
      folder_.forget(name);
      if (take_back_write(name))
        erased_.insert(name);
      else
        unwanted_ = name;
    }
  }
  ready_.notify_one();
}

// The caller holds the lock. False where its file is being made.
bool PageStore::take_back_write(const RecordName& name) {
  if (!being_written_.contains(name)) return true;
  const auto waits = std::ranges::find(writes_, name, &Write::name);
  if (waits == writes_.end()) return false;
  waiting_bytes_ -= std::ssize(waits->payload);
  writes_.erase(waits);
  being_written_.erase(name);
  return true;
}

void PageStore::on_room(const void* who, std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wakes_.emplace_back(who, std::move(wake));
}

void PageStore::forget(const void* who) {
  const std::lock_guard lock(mutex_);
  std::erase_if(wakes_, [who](const auto& w) { return w.first == who; });
}

PrefixStore::Status PageStore::status() const { return folder_.status(); }

// What fails here has no request of its own: the cache goes on without it.
void PageStore::run() {
  for (bool goes_on = true; goes_on;) guarded(kWho, [&] { goes_on = do_next(); });
}

// Reads go first: requests wait for them. Uses go before writes: other processes make room, too. False at the end.
bool PageStore::do_next() {
  std::unique_lock lock(mutex_);
  ready_.wait_until(lock, folder_.next_look(), [this] { return closed_ || !is_idle(); });
  if (!erased_.empty()) {
    const RecordName name = *erased_.begin();
    lock.unlock();
    do_erase(name);
  } else if (!reads_.empty()) {
    const Read read = std::move(reads_.front());
    reads_.pop_front();
    lock.unlock();
    do_read(read);
  } else if (!closed_ && RecordFolder::Clock::now() >= folder_.next_look()) {
    lock.unlock();
    folder_.look_around();
  } else if (!uses_.empty()) {
    const auto use = uses_.extract(uses_.begin());
    lock.unlock();
    folder_.tell_use(use.key(), use.mapped());
  } else if (!writes_.empty()) {
    const Write write = std::move(writes_.front());
    writes_.pop_front();
    lock.unlock();
    do_write(write);
  } else {
    return !closed_;
  }
  return true;
}

// Until then it counts as absent.
void PageStore::do_erase(const RecordName& name) {
  guarded(kWho, [&] { folder_.remove(name); });
  const std::lock_guard lock(mutex_);
  erased_.erase(name);
}

// Reads go before writes.
std::optional<PageStore::Payload> PageStore::payload_to_write(const Read& read) const {
  const std::lock_guard lock(mutex_);
  const auto waits = std::ranges::find(writes_, read.name, &Write::name);
  return waits != writes_.end() && waits->tokens == read.tokens ? std::optional(waits->payload) : std::nullopt;
}

// The caller is told in any case.
void PageStore::do_read(const Read& read) {
  std::optional<Payload> payload;
  guarded(kWho, [&] {
    payload = payload_to_write(read);
    if (payload) return;
    payload = folder_.read(read.name, read.tokens);
    if (!payload) return;
    const std::lock_guard lock(mutex_);
    use_now(read.name);
  });
  guarded(kWho, [&] { read.done(std::move(payload)); });
}

void PageStore::do_write(const Write& write) {
  bool written = false;
  guarded(kWho, [&] { written = write_file(write); });
  guarded(kWho, [&] {
    const std::lock_guard lock(mutex_);
    const int64_t used_since = being_written_.extract(write.name).mapped();
    waiting_bytes_ -= std::ssize(write.payload);
    if (std::exchange(unwanted_, {})) {
      folder_.forget(write.name);
      erased_.insert(write.name);
    } else if (written && used_since && folder_.use(write.name, used_since)) {
      uses_[write.name] = used_since;
    }
  });
  tell_room();
}

// Nothing that fails here is worth an answer: the cache goes on without it, and says so once.
bool PageStore::write_file(const Write& write) {
  try {
    return folder_.write(write.name, write.tokens, write.payload);
  } catch (const std::exception& e) {
    if (!std::exchange(told_failure_, true)) log(LogLevel::kWarn, "{}; the prefix cache goes on without", e.what());
    return false;
  }
}

void PageStore::tell_room() {
  const std::lock_guard lock(mutex_);
  for (const auto& [who, wake] : wakes_) guarded(kWho, wake);
}

PrefixStore::PrefixStore(const std::string& folder, int64_t most_bytes)
    : pages_(std::make_unique<PageStore>(folder, most_bytes)) {}
PrefixStore::~PrefixStore() = default;
PrefixStore::Status PrefixStore::status() const { return pages_->status(); }

}  // namespace skald
