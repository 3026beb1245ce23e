// The store's thread.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/guarded.h"
#include "base/log.h"
#include "kv/disk/page_store.h"

namespace skald {
namespace {

constexpr std::string_view kWho = "the prefix cache's store";
constexpr size_t kMostReads = 8;                   // that are asked for at the same time
constexpr size_t kFirstLook = 8, kMostLook = 256;  // records that are looked for at the same time
constexpr size_t kMostUses = 256;

// As guarded(); that the store is down is the caller's matter.
template <class F>
void guarded_work(F&& f) {
  try {
    std::forward<F>(f)();
  } catch (const StoreDown&) {
    throw;
  } catch (...) {
    log_failure(kWho);
  }
}

}  // namespace

// What fails here has no request of its own: the cache goes on without it.
void PageStore::run() {
  for (bool goes_on = true; goes_on;) guarded(kWho, [&] { goes_on = do_next(); });
}

bool PageStore::do_next() {
  try {
    Lock lock(mutex_);
    return do_next(lock);
  } catch (const StoreDown& e) {
    on_failure(e.what());
    return true;
  }
}

// False at the end.
bool PageStore::do_next(Lock& lock) {
  const Clock::time_point until = breaker_.is_open() ? breaker_.retry_at() : store_->next_look();
  ready_.wait_until(lock, until, [this] { return closed_ || (!breaker_.is_open() && !is_idle()); });
  if (closed_ && (breaker_.is_open() || Clock::now() >= close_by_)) return end_early(lock);
  if (!breaker_.is_open()) return do_in_turn(lock);
  const bool due = Clock::now() >= breaker_.retry_at();
  lock.unlock();
  if (due) reach();
  return true;
}

// What is still to be done stays undone.
bool PageStore::end_early(Lock& lock) {
  const size_t writes = writes_.size(), erased = erased_.size();
  lock.unlock();
  answers_.give_none();
  if (writes) log(LogLevel::kWarn, "{}, {}: {} records were not written", kWho, store_->label(), writes);
  if (erased) log(LogLevel::kWarn, "{}, {}: {} records were not removed", kWho, store_->label(), erased);
  return false;
}

void PageStore::reach() {
  store_->reach();
  bool told = false;
  {
    const std::lock_guard lock(mutex_);
    breaker_.succeed();
    told = std::exchange(told_down_, false);
  }
  if (told) log(LogLevel::kInfo, "{}, {}: it answers again", kWho, store_->label());
  tell_room();
}

// What others wait for goes first. Uses go before writes: other processes make room, too. False at the end.
bool PageStore::do_in_turn(Lock& lock) {
  const Clock::time_point begin = Clock::now();
  const auto with = [&](auto work, const auto& what) {
    lock.unlock();
    (this->*work)(what);
  };
  if (!erased_.empty()) {
    with(&PageStore::do_erase, std::vector<RecordName>(erased_.begin(), erased_.end()));
  } else if (!looks_.empty()) {
    const Look look = std::move(looks_.front());
    looks_.pop_front();
    with(&PageStore::do_look, look);
  } else if (!reads_.empty()) {
    with(&PageStore::do_reads, take_reads());
  } else if (!closed_ && begin >= store_->next_look()) {
    lock.unlock();
    store_->look_around();
  } else if (!uses_.empty()) {
    with(&PageStore::do_uses, take_uses());
  } else if (!writes_.empty()) {
    const Write write = std::move(writes_.front());
    writes_.pop_front();
    with(&PageStore::do_write, write);
  } else {
    return !closed_;
  }
  lock.lock();
  counts_.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  return true;
}

// Until then they count as absent.
void PageStore::do_erase(const std::vector<RecordName>& names) {
  guarded_work([&] { store_->remove(names); });
  {
    const std::lock_guard lock(mutex_);
    for (const RecordName& name : names) erased_.erase(name);
  }
  answer_flushes();  // writes may have been taken back
}

// A prompt that is new ends the search at once.
void PageStore::do_look(const Look& look) {
  guarded_work([&] { look_for(look.names); });
  guarded_work([&] {
    const std::lock_guard lock(mutex_);
    count_look(look.first);
    for (const RecordName& name : look.names)
      if (!store_->knows(name)) absent_.insert(name);
  });
  answers_.give(look.ticket, {});
}

void PageStore::look_for(std::span<const RecordName> rest) {
  for (size_t n = kFirstLook; !rest.empty(); n = std::min(2 * n, kMostLook)) {
    const std::span<const RecordName> some = rest.first(std::min(n, rest.size()));
    rest = rest.subspan(some.size());
    store_->look(some);
    answers_.hear();
    if (std::ranges::any_of(some, [&](const RecordName& name) { return name.part.is_page() && !store_->knows(name); }))
      break;
  }
}

// Those at the front that are not still to be written, or the first one that is.
std::vector<PageStore::Read> PageStore::take_reads() {
  std::vector<Read> out;
  out.reserve(kMostReads);
  while (!reads_.empty() && out.size() < kMostReads) {
    if (!out.empty() && being_written_.contains(reads_.front().name)) break;
    out.push_back(std::move(reads_.front()));
    reads_.pop_front();
    if (being_written_.contains(out.back().name)) break;
  }
  return out;
}

// Reads go before writes. The caller holds the lock.
std::optional<PageStore::Payload> PageStore::payload_to_write(const Read& read) const {
  const auto waits = std::ranges::find(writes_, read.name, &Write::name);
  return waits != writes_.end() && waits->tokens == read.tokens ? std::optional(waits->payload) : std::nullopt;
}

// The callers are told in any case.
void PageStore::do_reads(const std::vector<Read>& reads) {
  guarded_work([&] {
    if (!answer_unwritten(reads.front())) read_records(reads);
  });
  for (const Read& read : reads) answers_.give(read.ticket, {});
}

bool PageStore::answer_unwritten(const Read& read) {
  std::optional<Payload> payload;
  {
    const std::lock_guard lock(mutex_);
    payload = payload_to_write(read);
  }
  if (!payload) return false;
  answers_.give(read.ticket, std::move(payload));
  return true;
}

void PageStore::read_records(const std::vector<Read>& reads) {
  std::vector<RecordStore::Wanted> wanted;
  wanted.reserve(reads.size());
  for (const Read& read : reads) wanted.push_back({read.name, read.tokens});
  store_->read(wanted, [&](size_t i, std::optional<Payload> payload) {
    if (payload) {
      const std::lock_guard lock(mutex_);
      use_now(reads[i].name);
    }
    answers_.give(reads[i].ticket, std::move(payload));
  });
}

std::vector<RecordStore::Use> PageStore::take_uses() {
  std::vector<RecordStore::Use> out;
  out.reserve(std::min(uses_.size(), kMostUses));
  while (!uses_.empty() && out.size() < kMostUses) {
    const auto use = uses_.extract(uses_.begin());
    out.push_back({use.key(), use.mapped()});
  }
  return out;
}

void PageStore::do_uses(const std::vector<RecordStore::Use>& uses) {
  guarded_work([&] { store_->tell_uses(uses); });
}

void PageStore::do_write(const Write& write) {
  bool written = false;
  try {
    written = write_record(write);
  } catch (const StoreDown&) {
    end_write(write, false);
    throw;
  }
  end_write(write, written);
}

void PageStore::end_write(const Write& write, bool written) {
  guarded(kWho, [&] {
    const std::lock_guard lock(mutex_);
    const int64_t used_since = being_written_.extract(write.name).mapped();
    waiting_bytes_ -= std::ssize(write.payload);
    if (std::exchange(unwanted_, {})) {
      store_->forget(write.name);
      erased_.insert(write.name);
    } else if (written && used_since && store_->use(write.name, used_since)) {
      uses_[write.name] = used_since;
    }
  });
  answers_.hear();
  answer_flushes();
  tell_room();
}

// Those that wait for no write any more.
void PageStore::answer_flushes() {
  std::deque<Flush> over;
  {
    const std::lock_guard lock(mutex_);
    const int64_t oldest = writes_.empty() ? next_write_ : writes_.front().number;
    while (!flushes_.empty() && flushes_.front().until <= oldest) {
      over.push_back(flushes_.front());
      flushes_.pop_front();
    }
  }
  for (const Flush& flush : over) answers_.give(flush.ticket, {});
}

// Nothing that fails here is worth an answer: the cache goes on without it, and says so once.
bool PageStore::write_record(const Write& write) {
  try {
    return store_->write(write.name, write.tokens, write.payload);
  } catch (const StoreDown&) {
    throw;
  } catch (const std::exception& e) {
    if (!std::exchange(told_failure_, true)) log(LogLevel::kWarn, "{}; the prefix cache goes on without", e.what());
    return false;
  }
}

void PageStore::tell_room() {
  const std::lock_guard lock(mutex_);
  for (const auto& [who, wake] : wakes_) guarded(kWho, wake);
}

void PageStore::on_failure(const std::string& why) {
  bool tells = false;
  {
    const std::lock_guard lock(mutex_);
    breaker_.fail(Clock::now());
    ++counts_.errors;
    reads_.clear();
    looks_.clear();
    flushes_.clear();
    tells = !std::exchange(told_down_, true);
  }
  answers_.give_none();
  if (tells) log(LogLevel::kWarn, "{}, {}: {}; prompts are computed until it answers again", kWho, store_->label(), why);
}

// On another thread: the store's is within a call that does not end.
void PageStore::on_silence() {
  on_failure(fmt::format("no answer within {} ms",
                         std::chrono::duration_cast<std::chrono::milliseconds>(limits_.patience).count()));
}

}  // namespace skald
