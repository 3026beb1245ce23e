#include "serve/workers/slices.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/guarded.h"

namespace skald::serve {

using Clock = std::chrono::steady_clock;

static constexpr std::string_view kReader = "serve: the thread that reads texts";

Slices::Slices(int64_t most) : most_(most), thread_([this] { run(); }) {}

Slices::~Slices() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  ready_.notify_one();
  thread_.join();
}

bool Slices::post(const std::string& client, Work work) {
  {
    const std::lock_guard lock(mutex_);
    if (std::ranges::count(items_, client, &Item::client) >= most_ - std::ssize(items_)) return false;
    items_.push_back({client, std::move(work)});
  }
  ready_.notify_one();
  return true;
}

// In turn that which waits for longest, and of the client that has used least the work that has used least: one that begins.
std::list<Slices::Item>::iterator Slices::next() {
  if (std::exchange(oldest_next_, !oldest_next_)) return items_.begin();
  auto least = items_.begin();
  guarded(kReader, [&] {  // without memory to add them up it is the oldest's turn
    std::map<std::string_view, Clock::duration> used;
    for (const Item& item : items_) used[item.client] += item.used;
    const auto order = [&](const Item& item) { return std::pair(used[item.client], item.used); };
    least = std::ranges::min_element(items_, {}, order);
  });
  return least;
}

void Slices::run() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    ready_.wait(lock, [this] { return closed_ || !items_.empty(); });
    if (closed_) return;
    const auto item = next();
    items_.splice(items_.end(), items_, item);
    lock.unlock();
    const Clock::time_point began = Clock::now();
    bool more = false;
    guarded(kReader, [&] { more = item->work(); });
    if (!more) item->work = {};  // without the lock: its destructor may post
    lock.lock();
    item->used += Clock::now() - began;
    if (!more) items_.erase(item);
  }
}

}  // namespace skald::serve
