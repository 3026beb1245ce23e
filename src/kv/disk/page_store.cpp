#include "kv/disk/page_store.h"

#include <algorithm>
#include <chrono>
#include <ranges>
#include <utility>

#include "base/guarded.h"
#include "base/log.h"
#include "kv/disk/record_file.h"

namespace skald {

static constexpr std::string_view kWho = "the prefix cache's disk";

PageStore::PageStore(const std::string& folder, int64_t most_bytes) : folder_(folder), most_bytes_(most_bytes) {
  folder_.lock();
  scan();
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

// What other programs have put there stays as it is.
void PageStore::scan() {
  for (const PrivateFolder::File& file : folder_.files()) {
    std::string_view name = file.name;
    if (const std::optional<RecordName> record = record_named(name)) {
      index_.put(*record, file.bytes, file.changed);
      last_use_ = std::max(last_use_, file.changed);
    } else if (name.ends_with(PrivateFolder::kUnfinished)) {
      name.remove_suffix(PrivateFolder::kUnfinished.size());
      if (record_named(name)) folder_.remove(file.name);
    }
  }
  make_room(0);
}

bool PageStore::has(const RecordName& name) const {
  const std::lock_guard lock(mutex_);
  return is_there(name);
}

std::vector<bool> PageStore::has(std::span<const RecordName> names) const {
  const std::lock_guard lock(mutex_);
  std::vector<bool> out;
  for (const RecordName& name : names) out.push_back(is_there(name));
  return out;
}

bool PageStore::can_write() const {
  const std::lock_guard lock(mutex_);
  return waiting_bytes_ < kMostWaiting;
}

void PageStore::write(const RecordName& name, std::vector<TokenId> tokens, Payload payload) {
  {
    const std::lock_guard lock(mutex_);
    if (unwanted_ == name) unwanted_.reset();
    if (index_.has(name) || being_written_.contains(name)) return;
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

// Later than any other, in nanoseconds since 1970: files keep it when the process ends.
int64_t PageStore::next_use() {
  const int64_t now = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  return last_use_ = std::max(last_use_ + 1, now);
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
  if (const auto waits = being_written_.find(name); waits != being_written_.end()) waits->second = next_use();
  if (!index_.has(name)) return;
  const int64_t used = next_use();
  index_.use(name, used);
  uses_.emplace_back(name, used);
}

void PageStore::erase(std::span<const RecordName> names) {
  {
    const std::lock_guard lock(mutex_);
    for (const RecordName& name : names) {
      if (being_written_.contains(name)) take_back_write(name);
      if (!index_.has(name)) continue;
      erased_.push_back(name);
      index_.erase(name);
    }
  }
  ready_.notify_one();
}

// The caller holds the lock.
void PageStore::take_back_write(const RecordName& name) {
  const auto waits = std::ranges::find(writes_, name, &Write::name);
  if (waits == writes_.end()) {
    unwanted_ = name;
    return;
  }
  waiting_bytes_ -= std::ssize(waits->payload);
  writes_.erase(waits);
  being_written_.erase(name);
}

void PageStore::on_room(const void* who, std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wakes_.emplace_back(who, std::move(wake));
}

void PageStore::forget(const void* who) {
  const std::lock_guard lock(mutex_);
  std::erase_if(wakes_, [who](const auto& w) { return w.first == who; });
}

PrefixStore::Status PageStore::status() const {
  const std::lock_guard lock(mutex_);
  PrefixStore::Status out = counts_;
  out.pages = index_.pages();
  out.bytes = index_.bytes();
  return out;
}

// What fails here has no request of its own: the cache goes on without it.
void PageStore::run() {
  for (bool goes_on = true; goes_on;) guarded(kWho, [&] { goes_on = do_next(); });
}

// Reads go first: requests wait for them. False at the end.
bool PageStore::do_next() {
  std::unique_lock lock(mutex_);
  ready_.wait(lock, [this] { return closed_ || !is_idle(); });
  if (!erased_.empty()) {
    const auto erased = std::exchange(erased_, {});
    lock.unlock();
    for (const RecordName& name : erased) guarded(kWho, [&] { folder_.remove(file_name(name)); });
  } else if (!reads_.empty()) {
    const Read read = std::move(reads_.front());
    reads_.pop_front();
    lock.unlock();
    do_read(read);
  } else if (!writes_.empty()) {
    const Write write = std::move(writes_.front());
    writes_.pop_front();
    lock.unlock();
    do_write(write);
  } else if (!uses_.empty()) {
    const auto uses = std::exchange(uses_, {});
    lock.unlock();
    for (const auto& [name, used] : uses) guarded(kWho, [&] { folder_.set_changed(file_name(name), used); });
  } else {
    return false;
  }
  return true;
}

std::optional<PageStore::Payload> PageStore::read_file(const Read& read) {
  std::optional<Payload> bytes = folder_.read(file_name(read.name), most_bytes_);
  if (!bytes || !record_payload(*bytes, read.name, read.tokens)) return {};
  bytes->erase(bytes->begin(), bytes->begin() + kRecordHead);
  return bytes;
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
    payload = read_file(read);
    note_read(read.name, payload.has_value());
  });
  guarded(kWho, [&] { read.done(std::move(payload)); });
}

void PageStore::note_read(const RecordName& name, bool is_good) {
  const std::string file = file_name(name);
  const bool damaged = !is_good && folder_.has(file);
  if (damaged) folder_.remove(file);
  const std::lock_guard lock(mutex_);
  counts_.corrupt += damaged;
  if (is_good) {
    counts_.pages_read += name.part.is_page();
    use_now(name);
  } else {
    index_.erase(name);
  }
}

void PageStore::do_write(const Write& write) {
  std::optional<int64_t> used;
  guarded(kWho, [&] { used = write_file(write); });
  bool unwanted = false;
  guarded(kWho, [&] {
    const std::lock_guard lock(mutex_);
    const int64_t used_since = being_written_.extract(write.name).mapped();
    waiting_bytes_ -= std::ssize(write.payload);
    unwanted = std::exchange(unwanted_, {}).has_value();
    if (!used || unwanted) return;
    index_.put(write.name, kRecordHead + std::ssize(write.payload), used_since ? used_since : *used);
    counts_.pages_written += write.name.part.is_page();
    if (used_since) uses_.emplace_back(write.name, used_since);
  });
  if (unwanted) guarded(kWho, [&] { folder_.remove(file_name(write.name)); });
  tell_room();
}

// When it was used. Nothing that fails here is worth an answer: the cache goes on without it, and says so once.
std::optional<int64_t> PageStore::write_file(const Write& write) {
  const int64_t bytes = kRecordHead + std::ssize(write.payload);
  if (bytes > most_bytes_) return {};
  make_room(bytes);
  int64_t used = 0;
  {
    const std::lock_guard lock(mutex_);
    used = next_use();
  }
  try {
    const RecordHead head = record_head(write.name, write.tokens, write.payload);
    folder_.write(file_name(write.name), {head, write.payload}, used);
    return used;
  } catch (const std::exception& e) {
    if (!std::exchange(told_failure_, true)) log(LogLevel::kWarn, "{}; the prefix cache goes on without", e.what());
    return {};
  }
}

// What was used least recently goes.
void PageStore::make_room(int64_t bytes) {
  while (const std::optional<std::string> file = forget_oldest(bytes)) folder_.remove(*file);
}

// The file of what was, where there is no room.
std::optional<std::string> PageStore::forget_oldest(int64_t bytes) {
  const std::lock_guard lock(mutex_);
  const std::optional<RecordName> oldest = index_.oldest();
  if (!oldest || index_.bytes() + bytes <= most_bytes_) return {};
  std::string file = file_name(*oldest);
  index_.erase(*oldest);
  counts_.pages_removed += oldest->part.is_page();
  return file;
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
