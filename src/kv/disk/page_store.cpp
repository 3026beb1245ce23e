#include "kv/disk/page_store.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "kv/disk/record_folder.h"

namespace skald {
PageStore::PageStore(std::unique_ptr<RecordStore> store, Limits limits)
    : limits_(limits),
      store_(std::move(store)),
      breaker_(limits.pause),
      answers_(limits.patience, [this] { on_silence(); }) {
  if (!store_->is_reached()) breaker_.open_at_once(Clock::now());
  thread_ = std::thread([this] { run(); });
}

PageStore::PageStore(const std::string& folder, int64_t most_bytes, Limits limits)
    : PageStore(std::make_unique<RecordFolder>(folder, most_bytes), limits) {}

PageStore::~PageStore() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    close_by_ = Clock::now() + limits_.closing;
  }
  ready_.notify_one();
  thread_.join();
}

bool PageStore::has(const RecordName& name) const {
  const std::lock_guard lock(mutex_);
  return !breaker_.is_open() && has_now(name);
}

// The caller holds the lock.
bool PageStore::has_now(const RecordName& name) const {
  if (being_written_.contains(name)) return unwanted_ != name;
  return !erased_.contains(name) && store_->knows(name);
}

template <class Question>
void PageStore::ask(std::deque<Question>& queue, StoreAnswers::Answer answer, Question question) {
  question.ticket = answers_.expect(std::move(answer));
  try {
    queue.push_back(std::move(question));
  } catch (...) {
    answers_.take_back(question.ticket);
    throw;
  }
}

bool PageStore::look(std::vector<RecordName> names, std::function<void()> done, bool anew) {
  if (names.empty()) return false;
  {
    const std::lock_guard lock(mutex_);
    const RecordName first = names.front();
    if (anew)
      for (const RecordName& name : names) absent_.erase(name);
    keep_unknown(names);
    if (breaker_.is_open() || names.empty()) {
      count_look(first);
      return false;
    }
    ask(looks_, [done = std::move(done)](const auto&) { done(); }, {first, std::move(names), {}});
  }
  ready_.notify_one();
  return true;
}

// Leaves those up to a page that was absent a moment ago, without what is known. The caller holds the lock.
void PageStore::keep_unknown(std::vector<RecordName>& names) {
  if (const Clock::time_point now = Clock::now(); now >= absent_from_ + kAbsentFor) {
    absent_.clear();
    absent_from_ = now;
  }
  const auto is_absent = [this](const RecordName& name) {
    return !has_now(name) && (absent_.contains(name) || erased_.contains(name));
  };
  names.erase(std::ranges::find_if(names, [&](const RecordName& n) { return n.part.is_page() && is_absent(n); }),
              names.end());
  std::erase_if(names, [&](const RecordName& name) { return has_now(name) || is_absent(name); });
}

// The caller holds the lock.
void PageStore::count_look(const RecordName& first) {
  ++(!breaker_.is_open() && has_now(first) ? counts_.found : counts_.missed);
}

bool PageStore::can_write() const {
  const std::lock_guard lock(mutex_);
  return waiting_bytes_ < kMostWaiting && !breaker_.is_open();
}

void PageStore::write(const RecordName& name, std::vector<TokenId> tokens, Payload payload) {
  {
    const std::lock_guard lock(mutex_);
    if (unwanted_ == name) unwanted_.reset();
    if (store_->knows(name) || being_written_.contains(name)) return;
    const int64_t bytes = std::ssize(payload);
    writes_.push_back({name, std::move(tokens), std::move(payload), next_write_});
    try {
      being_written_.emplace(name, 0);
    } catch (...) {
      writes_.pop_back();
      throw;
    }
    waiting_bytes_ += bytes;
    ++next_write_;
  }
  ready_.notify_one();
}

bool PageStore::flush(std::function<void()> done) {
  const std::lock_guard lock(mutex_);
  if (breaker_.is_open() || being_written_.empty()) return false;
  ask(flushes_, [done = std::move(done)](const auto&) { done(); }, {next_write_, {}});
  return true;
}

bool PageStore::is_down() const {
  const std::lock_guard lock(mutex_);
  return breaker_.is_open();
}

void PageStore::read(const RecordName& name, std::vector<TokenId> tokens, Done done) {
  {
    const std::lock_guard lock(mutex_);
    if (breaker_.is_open()) return answers_.refuse(std::move(done));
    ask(reads_, std::move(done), {name, std::move(tokens), {}});
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
  const int64_t used = store_->next_use();
  if (const auto waits = being_written_.find(name); waits != being_written_.end()) waits->second = used;
  if (store_->use(name, used)) uses_[name] = used;
}

void PageStore::erase(std::span<const RecordName> names) {
  {
    const std::lock_guard lock(mutex_);
    for (const RecordName& name : names) {
      store_->forget(name);
      if (take_back_write(name))
        erased_.insert(name);
      else
        unwanted_ = name;
    }
  }
  ready_.notify_one();
}

// The caller holds the lock. False where its record is being made.
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

PrefixStore::Status PageStore::status() const {
  PrefixStore::Status out = store_->status();
  const std::lock_guard lock(mutex_);
  out.kind = store_->kind();
  out.label = store_->label();
  out.up = !breaker_.is_open();
  out.found = counts_.found;
  out.missed = counts_.missed;
  out.errors = counts_.errors;
  out.seconds = counts_.seconds;
  return out;
}

PrefixStore::PrefixStore(const std::string& folder, int64_t most_bytes)
    : pages_(std::make_unique<PageStore>(folder, most_bytes)) {}
PrefixStore::PrefixStore(std::unique_ptr<PageStore> pages) : pages_(std::move(pages)) {}
PrefixStore::~PrefixStore() = default;
PrefixStore::Status PrefixStore::status() const { return pages_->status(); }

}  // namespace skald
